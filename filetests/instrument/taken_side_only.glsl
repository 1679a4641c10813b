// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// Only the side of `?:`, `&&` and `||` that is taken is evaluated, and probes have no effect inside.
// set: on = true
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform bool on;
float calls;
bool ask(float by) {
    calls += by;           // expect: calls = 1 | 101
    return on;
}
void main() {
    calls = 0.0;
    bool a = !on && ask(10.0);        // expect: a = false
    bool b = on && ask(1.0);          // expect: b = true
    bool d = on || ask(1000.0);       // expect: d = true
    float e = on ? calls : float(ask(5.0));   // expect: e = 1
    bool f = !on || ask(100.0);       // expect: f = true
    c = vec4(calls, e, float(a), float(f));
}
// output: c = (101, 1, 0, 1)
