// run: emulate
// stage: fragment
#version 450
out vec4 c;
void main() {
    c = vec4(0);
    vec3 v;
    v.xz = vec2(1);
    c.xyz = v;             // finding: uninitialized "`v` is read, but component y was never written"
}
