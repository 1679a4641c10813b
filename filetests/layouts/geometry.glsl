// check: geometry
#version 330
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in vec2 uv[];
in float bare;                     // error: interface-array "`bare`: inputs of a geometry shader are arrays, one element for each vertex"
void main() {
    for (int i = 0; i < gl_in.length(); i++) {    // value: gl_in.length() = 3
        gl_Position = gl_in[i].gl_Position;
        EmitVertex();
    }
}
