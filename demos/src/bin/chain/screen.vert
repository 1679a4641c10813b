#version 330 core
out vec2 at;

// One triangle that covers the screen, and one whose long side slants across it.
const vec2 corners[6] = vec2[](
    vec2(0.0, 0.0), vec2(2.0, 0.0), vec2(0.0, 2.0),
    vec2(0.0, 0.0), vec2(0.9, 0.0), vec2(0.0, 1.3)
);

void main() {
    at = corners[gl_VertexID];
    gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);
}
