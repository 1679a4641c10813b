// run: emulate
// stage: fragment
// set: x = -7
#version 450
uniform int x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = float(x % 4);    // finding: domain "-7 % 4"
}
