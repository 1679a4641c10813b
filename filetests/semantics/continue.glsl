// run: emulate, instrument
// stage: fragment
// set: n = 4
#version 330
uniform int n;
out vec4 c;
void main() {
    int last = -1, rounds = 0;
    for (int i = 0; i < n; i++) {
        rounds++;          // expect: rounds = 1 | 2 | 3 | 4
        if (i % 2 == 1)
            continue;      // expect: i = 1 | 3
        last = i;          // expect: last = 0 | 2
    }
    c = vec4(last, rounds, 0, 1);
}
// output: c = (2, 4, 0, 1)
