// run: emulate, instrument
// stage: fragment
// versions: 330, 450
// Minus zero, infinity, denormals and NaN come out as they are.
// set: x = 0
#extension GL_ARB_shader_bit_encoding : require   // only: 330
out vec4 c;                                       // only: 330
layout(location = 0) out vec4 c;                  // only: 450
uniform float x;
void main() {
    float zero = -x;                       // expect: zero = -0
    float big = 1.0 / x;   // expect: big = inf // finding: division-by-zero "division by zero"
    float tiny = uintBitsToFloat(1u + uint(x));   // expect: tiny = 1e-45
    float none = uintBitsToFloat(0x7fc00000u + uint(x));   // expect: none = NaN
    c = vec4(zero == 0.0, big > 1.0, 0, none == none);
}
// output: c = (1, 1, 0, 0)
