// run: emulate, instrument
// stage: fragment
// set: a = 4294967295
#version 330
uniform uint a;
out uvec4 c;
void main() {
    uint next = a + 1u;    // expect: next = 0
    uint down = next - 1u; // expect: down = 4294967295
    uint product = a * a;  // expect: product = 1
    uint quotient = a / 3u; // expect: quotient = 1431655765
    bool above = a > 1u;   // expect: above = true
    c = uvec4(next, down, product, quotient + uint(above));
}
// output: c = (0, 4294967295, 1, 1431655766)
