#version 330 core
in vec2 at;
uniform sampler2D sharp;
uniform sampler2D soft;
out vec4 color;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(sharp, 0));
    float b = texture(sharp, at).g;
    float dx = texture(sharp, at + vec2(texel.x, 0.0)).g - texture(sharp, at - vec2(texel.x, 0.0)).g;
    float dy = texture(sharp, at + vec2(0.0, texel.y)).g - texture(sharp, at - vec2(0.0, texel.y)).g;
    vec3 normal = normalize(vec3(-dx * 8.0, -dy * 8.0, 1.0));
    float light = max(dot(normal, normalize(vec3(-0.5, 0.6, 0.7))), 0.0);
    float shade = texture(soft, at - vec2(-4.0, 4.0) * texel).g;
    vec3 ground = mix(vec3(0.93, 0.90, 0.82), vec3(0.55, 0.45, 0.38), clamp(shade * 3.0, 0.0, 1.0));
    vec3 coral = mix(vec3(0.80, 0.20, 0.12), vec3(1.0, 0.62, 0.35), smoothstep(0.2, 0.4, b)) * (0.35 + 0.8 * light);
    color = vec4(mix(ground, coral, smoothstep(0.12, 0.2, b)), 1.0);
}
