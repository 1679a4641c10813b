// run: emulate, instrument
// stage: fragment
// set: x = 5
#version 330
uniform int x;
out vec4 c;
int clip(int v) {
    if (v > 4)
        return 4;          // expect: v = 5
    v = -1;                // never:
    return v;
}
void main() {
    int y = clip(x);       // expect: y = 4
    c = vec4(y);
}
// output: c = (4, 4, 4, 4)
