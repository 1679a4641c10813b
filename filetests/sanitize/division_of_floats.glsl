// run: emulate
// stage: fragment
// set: x = 0
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = 1.0 / x;         // finding: division-by-zero "1.0 / 0.0"
}
