// run: emulate, instrument
// stage: fragment
// set: n = 5
#version 330
uniform int n;
out vec4 c;
void main() {
    int i = 0, sum = 0;
    while (i < n) {
        i++;
        if (i == 2 || i == 4)
            continue;
        sum += i;          // expect: sum = 1 | 4 | 9
    }
    c = vec4(sum);
}
// output: c = (9, 9, 9, 9)
