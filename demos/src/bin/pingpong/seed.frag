#version 330 core
in vec2 at;
out vec4 substances;

void main() {
    // A everywhere, and B in a few drops.
    float b = 0.0;
    for (int i = 0; i < 7; ++i) {
        float angle = float(i) * 2.399963;
        vec2 drop = 0.5 + 0.11 * sqrt(float(i) + 0.5) * vec2(cos(angle), sin(angle));
        b = max(b, 1.0 - smoothstep(0.015, 0.03, distance(at, drop)));
    }
    substances = vec4(1.0 - 0.5 * b, 0.35 * b, 0.0, 1.0);
}
