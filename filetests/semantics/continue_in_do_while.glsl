// run: emulate, instrument
// stage: fragment
// set: n = 3
#version 330
uniform int n;
out vec4 c;
void main() {
    int i = 0, kept = 0;
    do {
        i++;
        // The condition is still asked after a `continue`.
        if (i == n)
            continue;      // expect: i = 3
        kept = i;          // expect: kept = 1 | 2
    } while (i < n);
    c = vec4(i, kept, 0, 0);
}
// output: c = (3, 2, 0, 0)
