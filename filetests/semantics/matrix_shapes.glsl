// run: emulate, instrument
// stage: fragment
// set: k = 1.0
#version 330
uniform float k;
out vec4 c;
void main() {
    mat2x3 m = mat2x3(1, 2, 3, 4, 5, 6);   // expect: m[1] = (4, 5, 6)
    vec3 v = m * vec2(k, 10);              // expect: v = (41, 52, 63)
    mat3x2 t = transpose(m);               // expect: t = (1, 4, 2, 5, 3, 6)
    mat2 s = t * m;                        // expect: s = (14, 32, 32, 77)
    mat3 d = mat3(k * 2.0);                // expect: d = (2, 0, 0, 0, 2, 0, 0, 0, 2)
    mat4 big = mat4(s);                    // expect: big[3] = (0, 0, 0, 1)
    mat2 small = mat2(big);                // expect: small = (14, 32, 32, 77)
    float det = determinant(small);        // expect: det = 54
    c = vec4(v, det);
}
// output: c = (41, 52, 63, 54)
