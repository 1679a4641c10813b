// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, 100, 300es
// word: c = gl_FragColor   // only: 120, 100
// style: parameters
// transport: integers 1    // only: 300es
// set: x = 3
precision highp float;      // only: 100, 300es
out vec4 c;                 // only: 330, 450, 300es
uniform float x;
struct Pair { float a; float b; };
float later(float v);
float twice(float v) {
    return v * 2.0;            // expect: v = 4 | 3 | 7
}
float sum(Pair p, inout float total) {
    total += p.a;              // expect: total = 4
    return twice(p.a + p.b) + later(total);
}
float later(float v) {
    float r = v;
    for (int i = 0; i < 2; i++) {
        if (r > 100.0)
            return r;          // never:
        r += 1.0;              // expect: r = 5 | 6
    }
    return r;
}
float none(void) {
    return 1.0;
}
void main() {
    float total = 1.0;
    Pair p = Pair(x, 1.0);
    // Arguments that change what probes know are evaluated before the call is entered.
    float s = sum(p, total) + twice(x + none() * 0.0) + twice(float(x > 1.0 && none() > 0.0) * 7.0);   // expect: s = 34
    c = vec4(s, total, x, 1.0);
}
// output: c = (34, 4, 3, 1)
