// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 330
uniform int x;
int g;
out vec4 c;
void set(out int a) {
    a = 5;                 // expect: g = 1
    g += 1;                // expect: g = 2
    a += g;                // expect: a = 7
}
void main() {
    g = x;
    set(g);                // expect: g = 7
    c = vec4(g);
}
// output: c = (7, 7, 7, 7)
