// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// set: x = 4
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
void main() {
    mat2 m = mat2(1.0, 2.0, 3.0, x);     // expect: m = ((1, 2), (3, 4))
    m[1].x *= 2.0;                       // expect: m = ((1, 2), (6, 4))
    vec2 v = m * vec2(1.0, -1.0);        // expect: v = (-5, -2)
    c = vec4(v, m[1]);
}
// output: c = (-5, -2, 6, 4)
