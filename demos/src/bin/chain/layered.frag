#version 330 core
in vec2 at;
uniform sampler2DArray before;
uniform vec2 stride;
uniform float weights[9];
out vec4 filtered;

// The layer that was drawn on.
const float layer = 2.0;

void main() {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 9; ++i) {
        vec2 tap = at + vec2(i % 3 - 1, i / 3 - 1) * stride;
        sum += texture(before, vec3(tap, layer)).rgb * weights[i];
    }
    filtered = vec4(sum, 1.0);
}
