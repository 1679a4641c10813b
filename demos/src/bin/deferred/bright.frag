#version 330 core
in vec2 at;
uniform sampler2D image;
out vec4 bright;

void main() {
    vec3 color = texture(image, at).rgb;
    float light = dot(color, vec3(0.2126, 0.7152, 0.0722));
    bright = vec4(color * light * light / (light * light + 2.0), 1.0);
}
