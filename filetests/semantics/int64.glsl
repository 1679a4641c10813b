// run: emulate, instrument
// stage: fragment
// set: x = 4294967296
#version 450
#extension GL_ARB_gpu_shader_int64 : require
uniform int64_t x;
out ivec4 c;
void main() {
    int64_t y = x * 3l + 1l;   // expect: y = 12884901889
    int high = int(y >> 32);   // expect: high = 3
    int low = int(y);          // expect: low = 1
    bool big = y > x;          // expect: big = true
    c = ivec4(high, low, big, 0);
}
// output: c = (3, 1, 1, 0)
