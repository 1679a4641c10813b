#version 330 core

in vec2 middle;
out vec4 colour;

void main()
{
    vec2 share = fract(middle * 3.0);
    colour = vec4(share, gl_FrontFacing ? 0.25 : 0.75, 0.25);
}
