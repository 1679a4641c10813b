// run: emulate, instrument
// stage: fragment
// versions: 330, 450, 300es
// Nothing may stand in front of the first label, nor nothing behind the last.
// set: n = 1
precision highp float;             // only: 300es
precision highp int;               // only: 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
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
