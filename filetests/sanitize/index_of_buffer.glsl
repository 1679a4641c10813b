// run: emulate
// stage: fragment
// set: i = 16
#version 450
uniform int i;
layout(std430) buffer B { float data[]; };
out vec4 c;
void main() {
    c = vec4(data[i - 1]);
    c.x = data[i];             // finding: out-of-bounds "`data[16]` is byte 64 of a buffer of 64 bytes"
}
