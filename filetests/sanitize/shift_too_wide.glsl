// run: emulate
// stage: fragment
// set: x = 32
#version 450
uniform int x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = float(1 << x);   // finding: shift "1 << 32"
}
