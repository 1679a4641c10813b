#version 330 core
in vec3 place;
in vec3 speed;
uniform float step_time;
out vec3 next_place;
out vec3 next_speed;

// The force on a particle: towards a ring, and around it.
vec3 force(vec3 at) {
    vec2 flat_at = at.xz;
    float radius = length(flat_at);
    vec3 outward = vec3(flat_at.x, 0.0, flat_at.y) / max(radius, 0.001);
    vec3 around = vec3(-outward.z, 0.0, outward.x);
    return outward * (1.1 - radius) * 3.0 - vec3(0.0, at.y, 0.0) * 2.0 + around * 0.8;
}

void main() {
    next_speed = speed * (1.0 - 0.4 * step_time) + force(place) * step_time;
    next_place = place + next_speed * step_time;
}
