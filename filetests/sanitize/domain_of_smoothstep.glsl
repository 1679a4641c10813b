// run: emulate
// stage: fragment
// set: x = 1
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = smoothstep(x, x, 0.5); // finding: domain "smoothstep(1.0, 1.0, 0.5)"
}
