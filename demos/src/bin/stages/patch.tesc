#version 430 core

layout(vertices = 4) out;

in vec3 given[];

out vec3 held[];
patch out vec3 all;

uniform float turn;

// Each corner leans to the next, which is another invocation's.
void main()
{
    held[gl_InvocationID] = given[gl_InvocationID];
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    barrier();
    if (gl_InvocationID == 0) {
        all = (held[1] + held[3]) * 0.5;
        gl_TessLevelOuter[0] = 3.0;
        gl_TessLevelOuter[1] = 4.0;
        gl_TessLevelOuter[2] = 5.0;
        gl_TessLevelOuter[3] = 2.0;
        gl_TessLevelInner[0] = 4.0 + floor(mod(turn, 2.0));
        gl_TessLevelInner[1] = 3.0;
    }
}
