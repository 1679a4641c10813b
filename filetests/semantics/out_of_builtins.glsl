// run: emulate, instrument
// stage: fragment
// set: x = 6.75
#version 400
uniform float x;
out vec4 c;
void main() {
    float whole;
    float part = modf(x, whole);     // expect: part = 0.75 // expect: whole = 6
    int exponent;
    float mantissa = frexp(x, exponent);   // expect: mantissa = 0.84375 // expect: exponent = 3
    float back = ldexp(mantissa, exponent);   // expect: back = 6.75
    c = vec4(part, whole, mantissa, exponent);
}
// output: c = (0.75, 6, 0.84375, 3)
