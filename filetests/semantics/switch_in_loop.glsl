// run: emulate, instrument
// stage: fragment
// set: n = 4
#version 330
uniform int n;
out vec4 c;
void main() {
    int sum = 0, rounds = 0;
    for (int i = 0; i < n; i++) {
        switch (i) {
        case 0:
            break;
        case 2:
            continue;
        default:
            sum += i;      // expect: sum = 1 | 4
        }
        rounds++;          // expect: rounds = 1 | 2 | 3
    }
    c = vec4(sum, rounds, 0, 0);
}
// output: c = (4, 3, 0, 0)
