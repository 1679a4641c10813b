// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 330
uniform int x;
out vec4 c;
void main() {
    int a = x, b = 0;
    int last = (a += 1, b = a * 10, b + 1);   // expect: last = 21 // expect: a = 2 // expect: b = 20
    for (int i = 0, k = 9; i < k; i++, k -= 3)
        a += k;            // expect: a = 11 | 17 | 20
    c = vec4(last, a, b, 0);
}
// output: c = (21, 20, 20, 0)
