#version 330 core
in vec2 at;
uniform sampler2D before;
uniform vec2 stride;
uniform float weights[9];
out vec4 filtered;

void main() {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 9; ++i) {
        sum += texture(before, at + vec2(i % 3 - 1, i / 3 - 1) * stride).rgb * weights[i];
    }
    filtered = vec4(sum, 1.0);
}
