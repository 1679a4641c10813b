// run: emulate
// stage: fragment
// set: x = 0
#version 450
uniform int x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = float(7 / x);    // finding: division-by-zero "7 / 0"
}
