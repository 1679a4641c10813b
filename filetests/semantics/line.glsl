// run: emulate, instrument
// stage: fragment
// set: x = 3
#version 330
uniform int x;
out vec4 c;
#line 700
void main() {
    int i = x * __LINE__;  // expect: i = 2103
#line 9 4
    i += __LINE__;         // expect: i = 2112
    c = vec4(i);
}
// output: c = (2112, 2112, 2112, 2112)
