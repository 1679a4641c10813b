#version 330
#define MAX_LIGHTS 8
#define SCALE(x) ((x) * 0.25 + 1.0 / float(MAX_LIGHTS))

struct Light {
    vec3 position;
    vec3 color;
    float reach;
};

layout(std140) uniform Scene {
    mat4 view;
    vec4 ambient;
    ivec4 counts;
};

uniform Light lights[MAX_LIGHTS];
uniform sampler2D albedo;
uniform samplerCube sky;

in vec3 position;
in vec3 normal;
in vec2 uv;

layout(location = 0) out vec4 color;

const vec3 luma = vec3(0.2126, 0.7152, 0.0722);

float falloff(float distance, float reach) {
    float x = clamp(1.0 - pow(distance / reach, 4.0), 0.0, 1.0);
    return x * x / (distance * distance + 1.0);
}

vec3 shade(Light light, vec3 n, vec3 v) {
    vec3 l = light.position - position;
    float d = length(l);
    l /= d;
    float diffuse = max(dot(n, l), 0.0);
    float gloss = diffuse > 0.0 ? pow(max(dot(reflect(-l, n), v), 0.0), 32.0) : 0.0;
    return light.color * (diffuse + gloss) * falloff(d, light.reach);
}

void main() {
    vec3 n = normalize(normal);
    vec3 v = normalize(-(view * vec4(position, 1.0)).xyz);
    vec4 base = texture(albedo, uv);
    if (base.a < SCALE(0.1))
        discard;
    vec3 sum = ambient.rgb * base.rgb;
    for (int i = 0; i < MAX_LIGHTS; i++) {
        if (i >= counts.x)
            break;
        sum += shade(lights[i], n, v) * base.rgb;
    }
    sum += texture(sky, reflect(-v, n)).rgb * SCALE(dot(sum, luma));
    color = vec4(pow(sum, vec3(1.0 / 2.2)), base.a);
}
