#version 430 core

in vec3 shade;
flat in float made;

out vec4 colour;

void main()
{
    colour = vec4(shade.xy, shade.z + made, 1.0);
}
