// run: emulate
// stage: fragment
// set: x = 28
#version 450
uniform int x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = float(bitfieldExtract(255, x, 8));   // finding: bitfield "bitfieldExtract(255, 28, 8)"
}
