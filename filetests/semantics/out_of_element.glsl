// run: emulate, instrument
// stage: fragment
// set: i = 1
#version 330
uniform int i;
out vec4 c;
void set(out int v, int x) {
    v = x;
}
void main() {
    int a[3] = int[3](0, 0, 0);
    int k = i;
    // The element is chosen before the call.
    set(a[k++], k * 10);   // expect: a = (0, 20, 0) // expect: k = 2
    ivec3 v = ivec3(0);
    set(v[k], 7);          // expect: v = (0, 0, 7)
    c = vec4(a[0], a[1], a[2], v.z);
}
// output: c = (0, 20, 0, 7)
