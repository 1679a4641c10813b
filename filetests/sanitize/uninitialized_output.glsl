// run: emulate
// stage: fragment
#version 450
out vec4 c;
void main() {
    c.xy = vec2(1);
    c.zw = c.yz;               // finding: uninitialized "`c.yz` is read, but component y was never written"
}
