// run: emulate, instrument
// stage: fragment
// set: i = 2
#version 330
uniform int i;
out vec4 c;
void main() {
    vec4 v = vec4(1, 2, 3, 4);
    v[i] = 30.0;           // expect: v = (1, 2, 30, 4)
    v.wzyx[i] += 5.0;      // expect: v = (1, 7, 30, 4)
    mat2 m = mat2(1, 2, 3, 4);
    m[i - 1][0] = 9.0;     // expect: m = (1, 2, 9, 4)
    c = vec4(v[i], v[i - 1], m[1]);
}
// output: c = (30, 7, 9, 4)
