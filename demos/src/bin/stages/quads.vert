#version 430 core

layout(location = 0) in vec2 place;
// One for each instance, from the first that the draw says.
layout(location = 1) in vec3 tint;

uniform float turn;

out Corner {
    vec3 tint;
    float number;
} corner;

void main()
{
    corner.tint = tint;
    corner.number = float(gl_VertexID);
    gl_Position = vec4(place * 0.8 + vec2(0.05 * sin(turn), 0.5 * float(gl_InstanceID) - 0.25), 0.0, 1.0);
}
