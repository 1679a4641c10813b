#version 430 core

layout(triangles, equal_spacing) in;

in vec3 given[];

out vec3 evaluated;

void main()
{
    vec3 at = gl_TessCoord;
    gl_Position = at.x * gl_in[0].gl_Position + at.y * gl_in[1].gl_Position + at.z * gl_in[2].gl_Position;
    evaluated = at.x * given[0] + at.y * given[1] + at.z * given[2];
}
