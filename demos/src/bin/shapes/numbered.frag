#version 330 core

in vec2 middle;
out vec4 colour;

void main()
{
    float number = float(gl_PrimitiveID % 8) / 8.0;
    colour = vec4(fract(middle.x * 3.0), number, gl_FrontFacing ? 0.25 : 0.75, 0.25);
}
