#version 330 core
in vec3 position;
uniform mat4 model;
uniform mat4 sun;

void main() {
    gl_Position = sun * model * vec4(position, 1.0);
}
