#version 430 core

layout(points, invocations = 2) in;
layout(triangle_strip, max_vertices = 4) out;

in Corner {
    vec3 tint;
    float number;
} from[];

out vec3 shade;
flat out float made;

// A square of a point, and another beside it.
void main()
{
    for (int corner = 0; corner < 4; corner++) {
        vec2 to = vec2(corner & 1, corner >> 1);
        shade = from[0].tint * (0.4 + 0.6 * to.x) + vec3(0.0, 0.0, 0.3 * to.y);
        made = float(gl_InvocationID) * 0.25 + from[0].number * 0.1;
        gl_Position = gl_in[0].gl_Position + vec4(0.2 * to + vec2(0.25 * float(gl_InvocationID), 0.0), 0.0, 0.0);
        EmitVertex();
    }
    EndPrimitive();
}
