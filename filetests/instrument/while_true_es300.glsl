// run: emulate, instrument
// stage: fragment
// An endless loop keeps its `break`.
// set: x = 1
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void main() {
    float n = 0.0;
    while (true) {
        n += x;            // expect: n = 1 | 2 | 3
        if (n > 2.5)
            break;         // expect: n = 3
    }
    c = vec4(n);
}
// output: c = (3, 3, 3, 3)
