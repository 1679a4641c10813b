#version 330 core

out float along;

void main()
{
    along = float(gl_VertexID) * 0.25;
    gl_Position = vec4(along * 1.6 - 0.8, 0.0, 0.0, 1.0);
}
