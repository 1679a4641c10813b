#version 330 core
in vec3 position;
in vec3 normal;
in vec2 uv;
uniform mat4 model;
uniform mat4 camera;
out vec3 world_position;
out vec3 world_normal;
out vec2 surface;

void main() {
    vec4 world = model * vec4(position, 1.0);
    world_position = world.xyz;
    // One vertex of the pearl has a normal of length zero, as a careless exporter writes it. It has no direction.
    world_normal = normalize(mat3(model) * normal);
    surface = uv;
    gl_Position = camera * world;
}
