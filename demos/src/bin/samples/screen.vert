#version 330 core
out vec2 at;

void main() {
    // One triangle that covers the screen, made of the vertex's number alone.
    at = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);
}
