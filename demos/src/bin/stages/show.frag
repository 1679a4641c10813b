#version 430 core

in vec2 at;

layout(std430, binding = 0) buffer Corners {
    vec4 corners[];
};
layout(std430, binding = 1) buffer Kept {
    vec4 kept[];
};

out vec4 colour;

void main()
{
    ivec2 place = ivec2(at * 15.99);
    colour = kept[place.y * 16 + place.x] * 0.6 + corners[place.x / 6] * 0.4;
}
