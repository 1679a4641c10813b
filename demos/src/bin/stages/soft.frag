#version 430 core

in vec2 at;

uniform sampler2D soft;

out vec4 colour;

void main()
{
    colour = vec4(texture(soft, at).rgb, 1.0);
}
