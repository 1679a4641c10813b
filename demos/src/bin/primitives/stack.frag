#version 330 core

flat in int number;

out vec4 colour;

void main()
{
    float red = 0.0;
    for (int i = 0; i < number % 4; i++)
        red += 0.25;
    colour = vec4(red, float(number) * 0.001, 0.5, 0.01);
}
