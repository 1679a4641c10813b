// run: emulate, instrument
// stage: fragment
// set: n = 3
#version 330
uniform int n;
out vec4 c;
void main() {
    int inner = 0, outer = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 10; k++) {
            if (k > i)
                break;     // expect: k = 1 | 2 | 3
            inner++;
        }
        outer++;           // expect: inner = 1 | 3 | 6
    }
    c = vec4(inner, outer, 0, 0);
}
// output: c = (6, 3, 0, 0)
