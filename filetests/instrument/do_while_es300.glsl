// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void main() {
    float n = 0.0;
    do {
        n += x;            // expect: n = 1 | 2 | 3
        if (n == 2.0)
            continue;
    } while (n < 3.0);
    c = vec4(n);
}
// output: c = (3, 3, 3, 3)
