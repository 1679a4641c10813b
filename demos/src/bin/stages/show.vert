#version 430 core

out vec2 at;

void main()
{
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(at * 1.8 - 0.9, 0.0, 1.0);
}
