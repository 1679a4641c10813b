#version 430 core
layout(local_size_x = 64) in;
// As in the vertex buffer: place and speed, three numbers each.
layout(std430, binding = 0) readonly buffer Before { float before[]; };
layout(std430, binding = 1) writeonly buffer After { float after[]; };
uniform float step_time;
uniform int count;

vec3 force(vec3 at) {
    vec2 flat_at = at.xz;
    float radius = length(flat_at);
    vec3 outward = vec3(flat_at.x, 0.0, flat_at.y) / max(radius, 0.001);
    vec3 around = vec3(-outward.z, 0.0, outward.x);
    return outward * (1.1 - radius) * 3.0 - vec3(0.0, at.y, 0.0) * 2.0 + around * 0.8;
}

void main() {
    int index = int(gl_GlobalInvocationID.x);
    if (index >= count) {
        return;
    }
    int base = index * 6;
    vec3 place = vec3(before[base], before[base + 1], before[base + 2]);
    vec3 speed = vec3(before[base + 3], before[base + 4], before[base + 5]);
    speed = speed * (1.0 - 0.4 * step_time) + force(place) * step_time;
    place += speed * step_time;
    for (int i = 0; i < 3; ++i) {
        after[base + i] = place[i];
        after[base + 3 + i] = speed[i];
    }
}
