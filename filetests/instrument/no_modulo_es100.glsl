// run: emulate, instrument
// stage: fragment webgl
// Integers and booleans where there are no bit operations, remainders or unsigned numbers.
// set: n = -70000
precision highp float;
precision highp int;
uniform int n;
void main() {
    int a = n * 3 + 1;             // expect: a = -209999
    ivec2 b = ivec2(a, -a);        // expect: b = (-209999, 209999)
    bvec2 d = bvec2(a < 0, b.y < 0);   // expect: d = (true, false)
    gl_FragColor = vec4(d, 0.0, 1.0);
}
// output: gl_FragColor = (1, 0, 0, 1)
