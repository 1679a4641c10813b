// run: emulate, instrument
// stage: fragment
// set: x = 2
#version 330
uniform int x;
out vec4 c;
int asked = 0;
bool is(int v) {
    asked++;
    return x == v;
}
void main() {
    int r = 0;
    if (is(1))
        r = 10;            // never:
    else if (is(2))
        r = 20;            // expect: r = 20 // expect: asked = 2
    else if (is(3))
        r = 30;            // never:
    else
        r = 40;            // never:
    c = vec4(r, asked, 0, 0);
}
// output: c = (20, 2, 0, 0)
