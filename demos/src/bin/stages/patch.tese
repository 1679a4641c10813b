#version 430 core

layout(quads, fractional_odd_spacing, ccw) in;

in vec3 held[];
patch in vec3 all;

out vec3 shade;

void main()
{
    vec2 at = gl_TessCoord.xy;
    vec4 low = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, at.x);
    vec4 high = mix(gl_in[3].gl_Position, gl_in[2].gl_Position, at.x);
    gl_Position = mix(low, high, at.y) + vec4(0.0, 0.1 * sin(6.0 * at.x), 0.0, 0.0);
    shade = mix(mix(held[0], held[1], at.x), mix(held[3], held[2], at.x), at.y) * 0.7 + all * 0.3;
}
