// run: emulate, instrument
// stage: fragment
// set: x = 3
#version 330
uniform int x;
out vec4 c;
void change(int a, inout int b) {
    b += 1;
    b += a;                // expect: a = 3 // expect: b = 7
}
void both(inout int a, int b) {
    a = 10;
    a += b;                // expect: a = 17 // expect: b = 7
}
void main() {
    int v = x;
    change(v, v);          // expect: v = 7
    both(v, v);            // expect: v = 17
    c = vec4(v);
}
// output: c = (17, 17, 17, 17)
