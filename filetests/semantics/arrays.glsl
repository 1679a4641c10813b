// run: emulate, instrument
// stage: fragment
// set: k = 2
#version 330
uniform int k;
out vec4 c;
float[2] twice(float a[2]) {
    a[0] *= 2.0;
    a[1] *= 2.0;           // expect: a = (2, 6)
    return a;
}
void main() {
    float a[2] = float[](1.0, 3.0);
    float b[2] = twice(a); // expect: b = (2, 6) // expect: a = (1, 3)
    bool differ = a != b;  // expect: differ = true
    a = b;                 // expect: a = (2, 6)
    bool same = a == b;    // expect: same = true
    a[k - 1] += b[k - 2];  // expect: a = (2, 8)
    c = vec4(a[0], a[1], b[0], b.length());
}
// output: c = (2, 8, 2, 2)
