// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// set: x = 2
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
#define TWICE(v) ((v) + (v))
#define ADD(to, v) to += TWICE(v)
uniform float x;
void main() {
    float sum = 0.0;
    ADD(sum, x);           // expect: sum = 4
    ADD(sum, x * 2.0);     // expect: sum = 12
    c = vec4(sum);
}
// output: c = (12, 12, 12, 12)
