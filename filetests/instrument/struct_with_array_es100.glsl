// run: emulate, instrument
// stage: fragment webgl
// Where structures with arrays cannot be assigned, parts of them can be asked for.
// set: x = 2
precision highp float;
precision highp int;
struct Row { float v[2]; float n; };
uniform float x;
void main() {
    Row r;
    r.n = x;               // expect: r.n = 2
    r.v[0] = r.n + 1.0;    // expect: r.v[0] = 3
    r.v[1] = r.v[0] * 2.0; // expect: r.v[1] = 6
    gl_FragColor = vec4(r.v[0], r.v[1], r.n, 1.0);
}
// output: gl_FragColor = (3, 6, 2, 1)
