attribute vec2 position;
attribute vec4 color;
varying lowp vec4 tint;

void main() {
    tint = color;
    gl_Position = vec4(position, 0.0, 1.0);
}
