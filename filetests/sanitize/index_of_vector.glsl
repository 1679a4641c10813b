// run: emulate
// stage: fragment
// set: i = 4
#version 450
uniform int i;
out vec4 c;
void main() {
    c = vec4(0);
    c[i] = 1.0;            // finding: out-of-bounds "`c[4]` of 4 elements"
}
