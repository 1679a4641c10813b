// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// set: x = 2
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
void fill(out vec2 v) {
    v = vec2(x, x + 1.0);  // expect: v = (2, 3)
}
void main() {
    vec4 v = vec4(0.0);
    fill(v.wy);            // expect: v = (0, 3, 0, 2)
    c = v;
}
// output: c = (0, 3, 0, 2)
