#version 330 core
in vec2 at;
uniform sampler2D image;
uniform sampler2D bloom;
out vec4 color;

void main() {
    vec3 light = texture(image, at).rgb + texture(bloom, at).rgb * 0.6;
    vec2 corner = at - 0.5;
    light *= 1.0 - dot(corner, corner) * 0.7;
    // A curve like film's: a toe for the shadows, a shoulder for the lights.
    vec3 mapped = light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14);
    color = vec4(pow(mapped, vec3(1.0 / 2.2)), 1.0);
}
