// run: emulate
// stage: fragment
// set: x = -1
#version 450
uniform int x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = float(8u >> x);  // finding: shift "8u >> -1"
}
