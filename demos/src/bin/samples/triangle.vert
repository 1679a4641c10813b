#version 330 core
uniform float turn;
flat out vec3 tint;

void main() {
    float angle = turn + float(gl_VertexID) * 2.0944;
    // Each triangle is tilted, so that they cut through each other.
    gl_Position = vec4(0.9 * cos(angle), 0.9 * sin(angle), 0.6 * sin(2.0 * angle + turn), 1.0);
    tint = 0.5 + 0.5 * cos(turn * vec3(3.0, 5.0, 7.0));
}
