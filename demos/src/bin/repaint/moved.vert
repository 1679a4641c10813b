#version 330 core
// Phase, depth, alpha, and how much of the average is mixed in.
uniform vec4 look;
out vec2 at;

const vec2 corners[6] = vec2[](
    vec2(0.0, 0.0), vec2(2.0, 0.0), vec2(0.0, 2.0),
    vec2(0.1, 0.1), vec2(0.6, 0.2), vec2(0.3, 0.7)
);

void main() {
    at = corners[gl_VertexID];
    if (gl_VertexID >= 3) {
        at += 0.3 * vec2(sin(look.x * 0.37), cos(look.x * 0.53)) * 0.5 + 0.1;
    }
    gl_Position = vec4(at * 2.0 - 1.0, look.y + 0.05 * float(gl_VertexID % 3), 1.0);
}
