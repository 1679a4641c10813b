// run: emulate, instrument
// stage: fragment
// set: x = 1.0
#version 330
uniform float x;
out uvec4 c;
void main() {
    uint one = floatBitsToUint(x);              // expect: one = 1065353216
    uint zero = floatBitsToUint(-uintBitsToFloat(0u));   // expect: zero = 2147483648
    float tiny = uintBitsToFloat(1u);           // expect: tiny = 1e-45
    float nan = uintBitsToFloat(2143289344u);   // expect: nan = NaN
    bool none = isnan(nan * x);                 // expect: none = true
    c = uvec4(one, zero, floatBitsToUint(tiny), uint(none));
}
// output: c = (1065353216, 2147483648, 1, 1)
