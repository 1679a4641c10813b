// check: fragment
#version 450
const int a = 7 / 2;               // value: a = 3
const int b = -7 / 2;              // value: b = -3
const uint c = 0xFFFFFFFFu;        // value: c = 4294967295u
const int d = 1 << 31;             // value: d = -2147483648
const float e = 1.0 / 3.0;         // value: e = 0.33333334
const vec3 f = vec3(1, 2, 3).zyx;  // value: f = vec3(3.0, 2.0, 1.0)
const bool g = true ^^ false;      // value: g = true
const int h = true ? 1 : 2;        // value: h = 1
const float i = max(2.0, abs(-3.0));    // value: i = 3.0
const mat2 j = mat2(1, 2, 3, 4) * 2.0;  // value: j = mat2(2.0, 4.0, 6.0, 8.0)
const int k = 010 + 0x10;          // value: k = 24
struct S { int x; float y[2]; };
const S s = S(4, float[2](0.5, 1.5));   // value: s = S(4, float[2](0.5, 1.5))
const float t = s.y[1];            // value: t = 1.5
void main() { }
