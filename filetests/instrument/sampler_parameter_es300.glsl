// run: emulate, instrument
// stage: fragment
// Functions with samplers for parameters can be on the way to a moment.
// set: x = 2
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform sampler2D image;
uniform float x;
vec4 look(sampler2D s, vec2 at) {
    vec4 t = texture(s, at);    // expect: t = (0, 0, 0, 0)
    return t + x;
}
void main() {
    vec4 v = look(image, vec2(0.25, 0.75));   // expect: v = (2, 2, 2, 2)
    c = v;
}
// output: c = (2, 2, 2, 2)
