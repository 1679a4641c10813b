#version 330 core

layout(points) in;
layout(triangle_strip, max_vertices = 6) out;

in float along[];

out vec3 shade;

// Two strips of a point: above and below. The last shade belongs to no vertex.
void main()
{
    for (int strip = 0; strip < 2; strip++) {
        float side = strip == 0 ? 0.9 : -0.9;
        for (int corner = 0; corner < 3; corner++) {
            shade = vec3(along[0], float(strip), float(corner) * 0.5);
            gl_Position = gl_in[0].gl_Position + vec4(0.1 * float(corner % 2), side * float(corner), 0.0, 0.0);
            EmitVertex();
        }
        EndPrimitive();
    }
    shade = vec3(7.0);
}
