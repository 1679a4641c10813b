#version 410 core
in vec2 place;
uniform float radius;
out vec4 colour;

void main() {
    vec2 from = place - vec2(0.5);
    float height = sqrt(radius * radius - dot(from, from));
    colour = vec4(place, height, 1.0);
}
