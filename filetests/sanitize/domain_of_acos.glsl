// run: emulate
// stage: fragment
// set: x = -1.5
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = acos(x);          // finding: domain "acos(-1.5)"
}
