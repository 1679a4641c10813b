// run: emulate
// stage: fragment
// set: m = (1, 2, 2, 4)
#version 450
uniform mat2 m;
out vec4 c;
void main() {
    c = vec4(0);
    mat2 n = inverse(m);   // finding: not-finite "inverse(mat2(1.0, 2.0, 2.0, 4.0))"
    c.xy = n[0];
}
