#version 330 core
in vec2 place;
in vec4 colour;
flat out vec4 tint;

void main() {
    tint = colour;
    gl_Position = vec4(place, 0.0, 1.0);
}
