// run: emulate, instrument
// stage: fragment
// versions: 120, 330
// word: c = gl_FragColor   // only: 120
// transport: floats 4
// set: x = -0.1
// set: n = 1000
out vec4 c;                 // only: 330
uniform float x;
uniform int n;
void main() {
    float f = x * 3.0;             // expect: f = -0.3 ±1ulp
    int k = n * 2 + 1;             // expect: k = 2001
    vec3 v = vec3(f, x, 1e-20);    // expect: v = (-0.3, -0.1, 1e-20) ±1ulp
    bool b = k > 5;                // expect: b = true
    for (int i = 0; i < 2; i++) {
        v.x += 1.0;
        k += i;                    // expect: k = 2001 | 2002
    }
    c = vec4(v.x, float(k), float(b), 1.0);   // expect: k = 2002
}
// output: c = (1.7, 2002, 1, 1) ±1ulp
