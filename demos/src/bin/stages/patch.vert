#version 430 core

layout(location = 0) in vec2 place;
layout(location = 1) in vec3 tint;

out vec3 given;

void main()
{
    given = tint;
    gl_Position = vec4(place, 0.0, 1.0);
}
