// check: compute
#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout(local_size_x = 4) in;       // error: layout "the work group had another size before"
shared float s[8];
layout(std430, binding = 0) buffer B { float data[]; } b;
void main() {
    s[gl_LocalInvocationIndex] = b.data[0];
    barrier();
    b.data[gl_GlobalInvocationID.x] = s[0];   // type: gl_GlobalInvocationID.x = uint
    int n = b.data.length();       // type: b.data.length() = int
}
