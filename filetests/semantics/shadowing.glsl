// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 330
uniform int x;
out vec4 c;
int v = 100;
void main() {
    int w = v;             // expect: w = 100
    int v = x;             // expect: v = 1
    {
        int v = v + 10;    // expect: v = 11
        v++;               // expect: v = 12
    }
    v += 1;                // expect: v = 2
    for (int v = 0; v < 2; v++)
        w += v;            // expect: v = 0 | 1
    c = vec4(v, w, 0, 0);
}
// output: c = (2, 101, 0, 0)
