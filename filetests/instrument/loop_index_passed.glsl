// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// The index of a loop is passed on as a value, never as a place.
// set: x = 1
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
float twice(int n) {
    float t = float(n) * 2.0;   // expect: t = 0 | 2
    return t;
}
void main() {
    float sum = 0.0;
    for (int i = 0; i < 2; i++) {
        sum += twice(i) + x;    // expect: sum = 1 | 4
    }
    c = vec4(sum);
}
// output: c = (4, 4, 4, 4)
