// run: emulate
// stage: fragment
// set: x = 0.5
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = acosh(x);         // finding: domain "acosh(0.5)"
}
