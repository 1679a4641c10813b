#version 330 core
// A lighting shader with mistakes people make when they move from one GLSL version, or one file, to another.

#define MAX_LIGHTS 4
#define SATURATE(x) clamp(x, 0.0, one)

struct Light {
    vec3 position;
    vec3 colour;
    float range;
};

uniform Light lights[MAX_LIGHTS];
uniform sampler2D albedo_map;
uniform vec3 eye;

in vec3 world_position;
in vec3 world_normal;
in vec2 uv;

out vec4 fragment;

float attenuation(Light light, vec3 point)
{
    vec3 to_light = light.position - point;
    return SATURATE(1.0 - length(to_light) / light.range);
}

void main()
{
    vec3 normal = normalize(world_normal);
    vec3 albedo = texture2D(albedo_map, uv).rgb;
    vec3 sum = vec3(0.02) * albedo;

    for (int i = 0; i < MAX_LIGHTS; i++) {
        vec3 to_light = normalize(lights[i].positon - world_position);
        float diffuse = max(dot(normal, to_light), 0.0);
        vec4 half_way = normalize(to_light + normalize(eye - world_position));
        float specular = pow(max(dot(normal, half_way.xyz), 0.0), 32.0);
        sum += attenuation(lights[i]) * lights[i].colour * (albedo * diffuse + specular);
    }

    world_normal = normal;
    fragment = vec4(sum, 1.0);
}
