// run: emulate, instrument
// stage: fragment
// set: a = 16777217
// set: b = -2147483647
#version 330
uniform int a, b;
out ivec4 c;
void main() {
    int sum = a + 2;       // expect: sum = 16777219
    int odd = a * 3;       // expect: odd = 50331651
    int wrap = b - 2;      // expect: wrap = 2147483647
    c = ivec4(sum, odd, wrap, a & 1);
}
// output: c = (16777219, 50331651, 2147483647, 1)
