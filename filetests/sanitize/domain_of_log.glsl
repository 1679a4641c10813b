// run: emulate
// stage: fragment
// set: x = 0
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = log(x);           // finding: domain "log(0.0)"
}
