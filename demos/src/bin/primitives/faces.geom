#version 330 core

layout(triangles) in;
layout(triangle_strip, max_vertices = 18) out;

flat out int face;

// The same triangle on every face of a cube.
void main()
{
    for (int layer = 0; layer < 6; layer++) {
        for (int corner = 0; corner < 3; corner++) {
            face = layer;
            gl_Layer = layer;
            gl_Position = gl_in[corner].gl_Position;
            EmitVertex();
        }
        EndPrimitive();
    }
}
