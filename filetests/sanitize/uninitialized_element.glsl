// run: emulate
// stage: fragment
// set: i = 2
#version 450
uniform int i;
out vec4 c;
void main() {
    c = vec4(0);
    float a[4];
    a[i] = 1.0;
    c.x = a[i];
    c.y = a[i + 1];        // finding: uninitialized "`a[i + 1]` is read"
}
