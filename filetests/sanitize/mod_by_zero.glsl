// run: emulate
// stage: fragment
// set: x = 0
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = mod(3.0, x);     // finding: division-by-zero "mod(3.0, 0.0)"
}
