#version 330 core

// Each three vertices are a triangle that covers everything; later ones are nearer.
flat out int number;

void main()
{
    number = gl_VertexID / 3;
    int corner = gl_VertexID % 3;
    vec2 place = vec2(corner == 1 ? 3.0 : -1.0, corner == 2 ? 3.0 : -1.0);
    gl_Position = vec4(place, 0.5 - float(number) * 0.001, 1.0);
}
