// run: emulate
// stage: fragment
// set: i = -1
#version 450
uniform int i;
out vec4 c;
void main() {
    c = vec4(0);
    int a[3] = int[3](1, 2, 3);
    a[i] = 9;              // finding: out-of-bounds "`a[-1]` of 3 elements"
}
