// run: emulate, instrument
// stage: fragment
// A loop keeps its header: no comma in it, and its first part stays where it is.
// set: x = 0.5
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void main() {
    float sum = 0.0;
    for (int i = 0; i < 3; i++) {
        float k = float(i);
        sum += k * x;      // expect: sum = 0 | 0.5 | 1.5
    }
    c = vec4(sum);        // expect: sum = 1.5
}
// output: c = (1.5, 1.5, 1.5, 1.5)
