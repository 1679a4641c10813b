// run: emulate, instrument
// stage: fragment
// set: x = 2
#version 330
uniform int x;
const int BASE = 5 * 4;
int counter = BASE;
int derived = BASE + 1;
out vec4 c;
void bump() {
    counter += x;          // expect: counter = 22 | 24
}
void main() {
    int before = counter;  // expect: before = 20 // expect: derived = 21
    bump();                // expect: counter = 22
    bump();                // expect: counter = 24
    c = vec4(before, counter, derived, 0);
}
// output: c = (20, 24, 21, 0)
