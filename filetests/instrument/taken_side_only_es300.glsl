// run: emulate, instrument
// stage: fragment
// Only the side of `?:`, `&&` and `||` that is taken is evaluated, and probes have no effect inside.
// set: on = true
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
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
