#version 330 core
in vec2 at;
uniform sampler2D before;
out vec4 substances;

const float feed = 0.037;
const float kill = 0.060;

vec2 look(ivec2 place) {
    ivec2 size = textureSize(before, 0);
    return texelFetch(before, (place + size) % size, 0).rg;
}

void main() {
    ivec2 here = ivec2(gl_FragCoord.xy);
    vec2 now = look(here);
    vec2 around = -now;
    around += 0.2 * (look(here + ivec2(1, 0)) + look(here - ivec2(1, 0)) + look(here + ivec2(0, 1)) + look(here - ivec2(0, 1)));
    around += 0.05 * (look(here + ivec2(1, 1)) + look(here - ivec2(1, 1)) + look(here + ivec2(1, -1)) + look(here - ivec2(1, -1)));
    float reaction = now.r * now.g * now.g;
    float a = now.r + 1.0 * around.r - reaction + feed * (1.0 - now.r);
    float b = now.g + 0.5 * around.g + reaction - (kill + feed) * now.g;
    substances = vec4(a, b, 0.0, 1.0);
}
