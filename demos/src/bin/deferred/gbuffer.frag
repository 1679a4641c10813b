#version 330 core
in vec3 world_position;
in vec3 world_normal;
in vec2 surface;
uniform vec3 albedo;
uniform float roughness;
uniform vec3 emission;
uniform float tiles;
layout(location = 0) out vec4 material;
layout(location = 1) out vec4 direction;
layout(location = 2) out vec4 glow;

void main() {
    vec3 color = albedo;
    float rough = roughness;
    if (tiles > 0.0) {
        vec2 tile = floor(surface * tiles);
        vec2 inside = fract(surface * tiles);
        float dark = mod(tile.x + tile.y, 2.0);
        vec2 edge = smoothstep(0.0, 0.03, inside) * smoothstep(0.0, 0.03, 1.0 - inside);
        color *= mix(0.55, 1.0, dark) * mix(0.4, 1.0, edge.x * edge.y);
        rough = mix(rough, 0.9, dark * 0.6);
    }
    material = vec4(color, rough);
    direction = vec4(normalize(world_normal), 0.0);
    glow = vec4(emission, 1.0);
}
