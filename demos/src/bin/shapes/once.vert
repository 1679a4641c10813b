#version 330 core

in vec2 place;
out vec2 middle;

void main()
{
    middle = place;
    gl_Position = vec4(place, 0.0, 1.0);
}
