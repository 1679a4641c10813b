#version 330 core
in vec2 at;
uniform sampler2D before;
uniform vec2 stride;
uniform float weights[9];
out vec4 filtered;

void main() {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 9; ++i) {
        ivec2 step = ivec2(i % 3 - 1, i / 3 - 1);
        // The middle is sharp; the further out, the smaller the level.
        float level = 0.5 * float(abs(step.x) + abs(step.y));
        sum += textureLod(before, at + vec2(step) * stride, level).rgb * weights[i];
    }
    filtered = vec4(sum, 1.0);
}
