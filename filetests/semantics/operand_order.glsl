// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 330
uniform int x;
out vec4 c;
int calls = 0;
int next(int by) {
    calls = calls * 10 + by;
    return calls;
}
void main() {
    int sum = next(1) + next(2) * next(3);   // expect: calls = 123 // expect: sum = 1477
    int first = x + next(4) - next(5);       // expect: calls = 12345 // expect: first = -11110
    c = vec4(sum, first, 0, 0);
}
// output: c = (1477, -11110, 0, 0)
