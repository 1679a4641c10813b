#version 330 core
uniform int number;
flat in vec3 tint;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;

void main() {
    colour = vec4(tint, 1.0);
    numbers = uvec4(uint(number) * 2654435769u, uint(gl_FragCoord.z * 4294967040.0), uint(number), 1u);
}
