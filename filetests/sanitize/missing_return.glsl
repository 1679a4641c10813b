// run: emulate
// stage: fragment
// set: x = -1.0
#version 450
uniform float x;
out vec4 c;
float root(float v) {
    if (v >= 0.0)
        return sqrt(v);
}
void main() {
    c = vec4(root(x));         // finding: missing-return "`root` ended without returning a value"
}
