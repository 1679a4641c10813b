// run: emulate
// stage: fragment
// set: x = -2
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = pow(x, 2.0);      // finding: domain "pow(-2.0, 2.0)"
}
