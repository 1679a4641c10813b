// run: emulate, instrument
// stage: fragment
// set: k = 3
#version 330
uniform int k;
out vec4 c;
void push(inout int a[4], inout int top, int value) {
    a[top++] = value;
}
void main() {
    int stack[4] = int[4](0, 0, 0, 0);
    int top = 0;
    push(stack, top, k);       // expect: stack = (3, 0, 0, 0) // expect: top = 1
    push(stack, top, k * k);   // expect: stack = (3, 9, 0, 0) // expect: top = 2
    c = vec4(stack[0], stack[1], stack[2], top);
}
// output: c = (3, 9, 0, 2)
