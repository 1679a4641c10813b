// run: emulate
// stage: fragment
// set: x = -1
#version 450
uniform int x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = float(bitfieldInsert(0, 1, 4, x));   // finding: bitfield "bitfieldInsert(0, 1, 4, -1)"
}
