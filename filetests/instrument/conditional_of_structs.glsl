// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450
// word: c = gl_FragColor          // only: 120
// set: on = true
out vec4 c;                        // only: 330
layout(location = 0) out vec4 c;   // only: 450
struct Pair { float a; float b; };
uniform bool on;
void main() {
    Pair p = Pair(1.0, 2.0), q = Pair(3.0, 4.0);
    Pair r = on ? q : p;   // expect: r.a = 3 // expect: r.b = 4
    c = vec4(r.a, r.b, 0.0, 1.0);
}
// output: c = (3, 4, 0, 1)
