// run: emulate, instrument
// stage: fragment
// set: x = 2
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void main() {
    float z;
    vec2 v = vec2(0.0);
    v.x = z = x + 1.0;     // expect: v = (3, 0) // expect: z = 3
    c = vec4(v, z, 1.0);
}
// output: c = (3, 0, 3, 1)
