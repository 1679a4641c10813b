// run: emulate
// stage: fragment
// set: x = -0.25
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = sqrt(x);          // finding: domain "sqrt(-0.25)"
}
