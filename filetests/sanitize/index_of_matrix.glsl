// run: emulate
// stage: fragment
// set: i = 3
#version 450
uniform int i;
out vec4 c;
void main() {
    c = vec4(0);
    mat3 m = mat3(1);
    c.xyz = m[i];          // finding: out-of-bounds "`m[3]` of 3 elements"
}
