// run: emulate, instrument
// stage: fragment
// `continue` passes over what is at the end of a body, so iterations are counted at its top.
// set: x = 1
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void main() {
    float sum = 0.0;
    for (int i = 0; i < 4; i++) {
        if (i == 1)
            continue;
        sum += x;          // expect: sum = 1 | 2 | 3
    }
    c = vec4(sum);
}
// output: c = (3, 3, 3, 3)
