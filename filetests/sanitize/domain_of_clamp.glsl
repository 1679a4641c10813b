// run: emulate
// stage: fragment
// set: x = 1
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = clamp(0.5, x, 0.0); // finding: domain "clamp(0.5, 1.0, 0.0)"
}
