// check: vertex
#version 330
in vec4 position;
in mat4 m;
in bool b;                         // error: interface-type "`b`: inputs and outputs cannot be `bool`"
flat in int f;                     // error: qualifier "`flat` is not for inputs of a vertex shader"
out int i;                         // accepted:
flat out int j;
centroid out vec2 uv;
in struct S { float x; } s;        // error: interface-type "`s`: inputs of a vertex shader cannot be structures"
void main() { gl_Position = position; }
