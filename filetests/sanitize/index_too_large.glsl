// run: emulate
// stage: fragment
// set: i = 7
#version 450
uniform int i;
out vec4 c;
void main() {
    c = vec4(0);
    float a[4] = float[4](1, 2, 3, 4);
    c.x = a[i];            // finding: out-of-bounds "`a[7]` of 4 elements"
}
