// run: emulate
// stage: compute
#version 450
layout(local_size_x = 4) in;
shared int cell[4];
layout(std430) buffer B { int result[4]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i != 2u)
        cell[i] = int(i);
    result[i] = cell[i];       // finding: uninitialized "`cell[i]` is read"
}
