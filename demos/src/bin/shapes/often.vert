#version 330 core

// Each instance lies a little beside the one before, and is turned round.
in vec2 place;
out vec2 middle;

void main()
{
    float step = float(gl_InstanceID);
    middle = place + vec2(step * 0.25, 0.0);
    gl_Position = vec4(gl_InstanceID % 2 == 0 ? place : place.yx + step * 0.01, 0.0, 1.0);
}
