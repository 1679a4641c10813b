// run: emulate
// stage: fragment
// set: i = -1
#version 450
uniform int i;
layout(std430) buffer B { vec4 data[]; };
out vec4 c;
void main() {
    c = data[i];               // finding: out-of-bounds "`data[-1]` lies beyond any buffer"
}
