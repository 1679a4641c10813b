// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 330
uniform int x;
out vec4 c;
int inc(int v) {
    return v + 1;          // expect: v = 1 | 2 | 2 | 6
}
int twice(int v) {
    return inc(v) * 2;     // expect: v = 2
}
void main() {
    int y = inc(inc(x));           // expect: y = 3
    int z = twice(y - 1);          // expect: z = 6
    int w = inc(z);                // expect: w = 7
    c = vec4(y, z, w, 0);
}
// output: c = (3, 6, 7, 0)
