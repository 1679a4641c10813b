#version 430 core

layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

in vec3 evaluated[];

out vec3 shade;

// Each triangle shrinks to its middle.
void main()
{
    vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;
    for (int corner = 0; corner < 3; corner++) {
        shade = evaluated[corner];
        gl_Position = mix(middle, gl_in[corner].gl_Position, 0.85);
        EmitVertex();
    }
}
