// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// Where structures with arrays cannot be assigned, parts of them can be asked for.
// set: x = 2
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
struct Row { float v[2]; float n; };
uniform float x;
void main() {
    Row r;
    r.n = x;               // expect: r.n = 2
    r.v[0] = r.n + 1.0;    // expect: r.v[0] = 3
    r.v[1] = r.v[0] * 2.0; // expect: r.v[1] = 6
    c = vec4(r.v[0], r.v[1], r.n, 1.0);
}
// output: c = (3, 6, 2, 1)
