// run: emulate
// stage: fragment
// set: x = 1e20
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    float big = x * 1e30;  // finding: not-finite "1e20 * 1e30 = inf"
    c.x = big - 1.0;
}
