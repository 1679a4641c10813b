attribute vec3 position;
attribute vec3 normal;
attribute vec2 uv;
uniform mat4 model;
uniform mat4 camera;
varying mediump vec3 world_normal;
varying mediump vec2 surface;

void main() {
    world_normal = mat3(model) * normal;
    surface = uv;
    gl_Position = camera * model * vec4(position, 1.0);
}
