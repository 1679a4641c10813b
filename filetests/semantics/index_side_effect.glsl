// run: emulate, instrument
// stage: fragment
// set: x = 5
#version 330
uniform int x;
out vec4 c;
void main() {
    int a[3] = int[3](1, 2, 3);
    int i = 0;
    a[i++] += x;           // expect: a = (6, 2, 3) // expect: i = 1
    a[i++] += x;           // expect: a = (6, 7, 3) // expect: i = 2
    c = vec4(a[0], a[1], a[2], i);
}
// output: c = (6, 7, 3, 2)
