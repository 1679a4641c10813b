#version 330 core
in vec3 tint;
out vec4 color;

void main() {
    vec2 at = gl_PointCoord * 2.0 - 1.0;
    float inside = max(1.0 - dot(at, at), 0.0);
    color = vec4(tint * inside * inside * 0.5, 1.0);
}
