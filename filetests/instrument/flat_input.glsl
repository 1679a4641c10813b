// run: emulate, instrument
// stage: fragment
// versions: 330, 450, 300es
// set: n = 7
// set: v = (1, 2)
precision highp float;   // only: 300es
precision highp int;     // only: 300es
flat in int n;
in vec2 v;
layout(location = 0) out vec4 c;
void main() {
    int k = n * 2;             // expect: k = 14
    vec2 w = v * float(n);     // expect: w = (7, 14)
    c = vec4(w, float(k), 1.0);
}
// output: c = (7, 14, 14, 1)
