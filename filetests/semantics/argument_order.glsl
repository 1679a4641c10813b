// run: emulate, instrument
// stage: fragment
// set: start = 1
#version 330
uniform int start;
out vec4 c;
int digits(int a, int b, int c) {
    return a * 100 + b * 10 + c;
}
void main() {
    int i = start;
    int d = digits(i++, i++, i);   // expect: d = 123 // expect: i = 3
    c = vec4(d, i, 0, 0);
}
// output: c = (123, 3, 0, 0)
