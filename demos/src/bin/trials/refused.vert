#version 140
in vec2 corner;

void main() {
    gl_FrontColor = vec4(0.2, 0.7, 0.9, 1.0);
    gl_Position = vec4(corner, 0.0, 1.0);
}
