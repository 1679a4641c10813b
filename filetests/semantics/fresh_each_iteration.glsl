// run: emulate, instrument
// stage: fragment
// set: n = 3
#version 330
uniform int n;
out vec4 c;
void main() {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int local = 5;
        local += i;        // expect: local = 5 | 6 | 7
        sum += local;
    }
    c = vec4(sum);
}
// output: c = (18, 18, 18, 18)
