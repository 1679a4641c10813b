// run: emulate
// stage: fragment
// set: x = 0
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = normalize(vec2(x)).x; // finding: domain "normalize(vec2(0.0, 0.0))"
}
