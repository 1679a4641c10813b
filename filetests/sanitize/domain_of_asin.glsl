// run: emulate
// stage: fragment
// set: x = 1.5
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = asin(x);          // finding: domain "asin(1.5)"
}
