// run: emulate
// stage: fragment
// set: x = -1
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = log2(x);          // finding: domain "log2(-1.0)"
}
