// run: emulate, instrument
// stage: fragment
// set: n = 1
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform int n;
void main() {
    int a[3];
    a[0] = 1;
    a[1] = 2;
    a[2] = 3;
    int i = n;
    a[i++] += 10;          // expect: i = 2 // expect: a[1] = 12
    a[i] += a[i - 1];      // expect: a[2] = 15
    c = vec4(float(a[0]), float(a[1]), float(a[2]), float(i));
}
// output: c = (1, 12, 15, 2)
