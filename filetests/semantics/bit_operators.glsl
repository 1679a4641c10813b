// run: emulate, instrument
// stage: fragment
// set: x = 240
#version 330
uniform int x;
out ivec4 c;
void main() {
    int a = x & 0x3c;      // expect: a = 48
    int b = x | 0xf;       // expect: b = 255
    int d = x ^ 0xff;      // expect: d = 15
    int e = ~x;            // expect: e = -241
    int l = x << 4;        // expect: l = 3840
    int r = -x >> 4;       // expect: r = -15
    uint u = uint(-x) >> 28u;   // expect: u = 15
    b &= ~1;               // expect: b = 254
    b <<= 1;               // expect: b = 508
    c = ivec4(a, b, l, r);
}
// output: c = (48, 508, 3840, -15)
