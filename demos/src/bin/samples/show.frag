#version 330 core
uniform sampler2DMS colours;
uniform usampler2DMS numbers;
uniform vec2 size;
in vec2 at;
out vec4 shown;

void main() {
    // Four parts: what is there already, and two of samples' colours and one of their numbers.
    ivec2 part = ivec2(gl_FragCoord.xy * 2.0 / size);
    int which = part.x + 2 * part.y;
    if (which == 0) {
        discard;
    }
    ivec2 place = ivec2(gl_FragCoord.xy);
    uvec4 number = texelFetch(numbers, place, which);
    shown = which == 3 ? vec4(number >> 24) / 255.0 + vec4(number & 255u) / 255.0 : texelFetch(colours, place, which);
}
