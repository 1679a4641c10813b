// run: emulate, instrument
// stage: fragment
// set: n = 3
#version 330
uniform int n;
out vec4 c;
void main() {
    int i = 0;
    for (;;) {
        if (i == n)
            break;         // expect: i = 3
        i++;               // expect: i = 1 | 2 | 3
    }
    c = vec4(i);
}
// output: c = (3, 3, 3, 3)
