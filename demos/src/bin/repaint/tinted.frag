#version 330 core
uniform vec4 look;
uniform sampler2D mirror;
uniform sampler2D average;
in vec2 at;
out vec4 colour;

void main() {
    vec3 waves = 0.5 + 0.5 * sin(look.x * vec3(0.11, 0.17, 0.23) + at.xyx * vec3(9.0, 7.0, 5.0));
    vec3 shown = mix(waves, texture(mirror, at).rgb, 0.4);
    colour = vec4(mix(shown, texture(average, at).rgb, 0.5 * look.w), look.z);
}
