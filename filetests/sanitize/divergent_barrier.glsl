// run: emulate
// stage: compute
#version 450
layout(local_size_x = 4) in;
shared int total;
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i == 0u)
        total = 0;
    if (i < 3u)
        barrier();             // finding: divergent-barrier "1 of 4 invocations of the wave do not reach"
}
