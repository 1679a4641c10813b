// run: emulate, instrument
// stage: fragment
// set: k = 2.0
#version 330
uniform float k;
out vec4 c;
void main() {
    mat2 m = mat2(1, 2, 3, 4);       // expect: m[1] = (3, 4)
    vec2 r = m * vec2(1, k);         // expect: r = (7, 10)
    vec2 l = vec2(1, k) * m;         // expect: l = (5, 11)
    mat2 p = m * mat2(0, 1, 1, 0);   // expect: p = (3, 4, 1, 2)
    m[0] = vec2(k);                  // expect: m = (2, 2, 3, 4)
    m *= k;                          // expect: m = (4, 4, 6, 8)
    m[1].y = 0.0;                    // expect: m[1][1] = 0
    m /= mat2(2.0, 4.0, 3.0, 1.0);   // expect: m = (2, 1, 2, 0)
    c = vec4(r, l);
}
// output: c = (7, 10, 5, 11)
