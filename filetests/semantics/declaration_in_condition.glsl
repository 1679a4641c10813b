// run: emulate, instrument
// stage: fragment
// set: n = 3
#version 330
uniform int n;
out vec4 c;
void main() {
    int i = n, sum = 0;
    while (bool more = i > 0) {
        sum += more ? i : 100;   // expect: sum = 3 | 5 | 6
        i--;
    }
    c = vec4(sum, i, 0, 0);
}
// output: c = (6, 0, 0, 0)
