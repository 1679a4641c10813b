// run: emulate, instrument
// stage: fragment
// set: x = 3
#version 330
#define TWICE(v) ((v) + (v))
#define STEP i++; sum += TWICE(i)
uniform int x;
out vec4 c;
void main() {
    int i = x, sum = 0;
    STEP;                  // expect: i = 4 // expect: sum = 8
    STEP;                  // expect: i = 5 // expect: sum = 18
    int j = TWICE(i++);    // expect: j = 11 // expect: i = 7
    c = vec4(sum, j, i, 0);
}
// output: c = (18, 11, 7, 0)
