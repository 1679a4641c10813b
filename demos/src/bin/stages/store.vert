#version 430 core

layout(location = 0) in vec2 place;
layout(location = 1) in vec3 tint;

layout(std430, binding = 0) buffer Corners {
    vec4 corners[];
};

out vec3 shade;

void main()
{
    corners[gl_VertexID] = vec4(tint * 0.5, 1.0);
    shade = tint;
    gl_Position = vec4(place * 2.0, 0.0, 1.0);
}
