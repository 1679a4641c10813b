// run: emulate
// stage: fragment
// set: x = 100
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = exp(x);          // finding: not-finite "exp(100.0) = inf"
}
