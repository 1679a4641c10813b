#version 330 core
in vec2 at;
uniform sampler2D material;
uniform sampler2D direction;
uniform sampler2D glow;
uniform sampler2D depth;
uniform sampler2DShadow shadow;
uniform mat4 screen_to_world;
uniform mat4 world_to_shadow;
uniform vec3 eye;
uniform vec3 sun_direction;
uniform vec3 lamp_positions[4];
uniform vec3 lamp_colors[4];
out vec4 radiance;

vec3 sky(vec3 view) {
    float height = clamp(view.y, 0.0, 1.0);
    vec3 color = mix(vec3(0.55, 0.42, 0.45), vec3(0.10, 0.18, 0.42), pow(height, 0.5));
    return color + vec3(1.0, 0.6, 0.3) * pow(max(dot(view, sun_direction), 0.0), 64.0) * 2.0;
}

float lit_by_sun(vec3 position, vec3 normal) {
    vec4 place = world_to_shadow * vec4(position + normal * 0.04, 1.0);
    vec3 coordinates = place.xyz / place.w * 0.5 + 0.5;
    if (any(greaterThan(abs(coordinates - 0.5), vec3(0.5)))) {
        return 1.0;
    }
    vec2 texel = 1.0 / vec2(textureSize(shadow, 0));
    float sum = 0.0;
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            sum += texture(shadow, vec3(coordinates.xy + vec2(x, y) * texel, coordinates.z - 0.002));
        }
    }
    return sum / 9.0;
}

vec3 shade(vec3 normal, vec3 view, vec3 light, vec3 color, float rough) {
    float diffuse = max(dot(normal, light), 0.0);
    vec3 halfway = normalize(view + light);
    float power = exp2(mix(9.0, 2.0, rough));
    float shine = pow(max(dot(normal, halfway), 0.0), power) * (power + 8.0) / 32.0 * (1.0 - rough);
    return diffuse * (color + shine);
}

void main() {
    float z = texture(depth, at).r;
    vec4 place = screen_to_world * vec4(vec3(at, z) * 2.0 - 1.0, 1.0);
    vec3 position = place.xyz / place.w;
    vec3 view = normalize(eye - position);
    if (z == 1.0) {
        radiance = vec4(sky(-view), 1.0);
        return;
    }
    vec4 surface = texture(material, at);
    vec3 normal = texture(direction, at).xyz;
    vec3 color = surface.rgb;

    vec3 sum = texture(glow, at).rgb;
    sum += color * mix(vec3(0.10, 0.08, 0.08), vec3(0.16, 0.22, 0.36), normal.y * 0.5 + 0.5);
    sum += lit_by_sun(position, normal) * vec3(1.7, 1.3, 0.9) * shade(normal, view, sun_direction, color, surface.a);
    for (int i = 0; i < 4; ++i) {
        vec3 way = lamp_positions[i] - position;
        float distance2 = dot(way, way);
        sum += lamp_colors[i] * shade(normal, view, way * inversesqrt(distance2), color, surface.a) / (0.3 + distance2);
    }
    float haze = 1.0 - exp(-0.0006 * dot(eye - position, eye - position));
    radiance = vec4(mix(sum, sky(-view), haze), 1.0);
}
