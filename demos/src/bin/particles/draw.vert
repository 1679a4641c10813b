#version 330 core
in vec3 place;
in vec3 speed;
uniform mat4 camera;
out vec3 tint;

void main() {
    gl_Position = camera * vec4(place, 1.0);
    gl_PointSize = clamp(20.0 / gl_Position.w, 1.0, 12.0);
    float fast = clamp(length(speed) * 0.6 - 0.35, 0.0, 1.0);
    tint = mix(vec3(0.15, 0.35, 1.0), vec3(1.0, 0.45, 0.12), fast);
}
