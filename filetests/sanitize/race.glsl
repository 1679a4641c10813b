// run: emulate
// stage: compute
#version 450
layout(local_size_x = 4) in;
shared int cell[4];
layout(std430) buffer B { int result[4]; };
void main() {
    int i = int(gl_LocalInvocationIndex);
    cell[i] = i;
    result[i] = cell[3 - i];   // finding: race "invocation 0 reads `cell + 12 bytes`, which invocation 3 writes"
}
