// run: emulate, instrument
// stage: fragment
// set: n = 0
#version 330
uniform int n;
out vec4 c;
void main() {
    int i = 0;
    do {
        i += 10;           // expect: i = 10
    } while (i < n);
    int k = 0;
    while (k < n)
        k += 10;           // never:
    c = vec4(i, k, 0, 0);
}
// output: c = (10, 0, 0, 0)
