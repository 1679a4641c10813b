// run: emulate, instrument
// stage: fragment
// Nothing may stand in front of the first label, nor nothing behind the last.
// set: n = 1
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform int n;
void main() {
    int k = 0;
    switch (n) {
    case 0:
        k = 1;             // never:
    case 1:
        k += 10;           // expect: k = 10
    case 2:
        k += 100;          // expect: k = 110
        break;
    default:
        k = -1;            // never:
    }
    c = vec4(float(k));
}
// output: c = (110, 110, 110, 110)
