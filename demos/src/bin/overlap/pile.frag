#version 330 core
in vec2 from_middle;
uniform vec4 colour;
uniform float hole;
out vec4 result;

void main() {
    if (length(from_middle) < hole) {
        discard;
    }
    result = colour;
}
