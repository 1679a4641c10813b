#version 330 core

flat in int face;

out vec4 colour;

void main()
{
    float shade = float(face) * 0.125;
    colour = vec4(shade, 0.5, 0.5, 1.0);
}
