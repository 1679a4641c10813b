// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// A loop keeps its header: no comma in it, and its first part stays where it is.
// set: x = 0.5
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
void main() {
    float sum = 0.0;
    for (int i = 0; i < 3; i++) {
        float k = float(i);
        sum += k * x;      // expect: sum = 0 | 0.5 | 1.5
    }
    c = vec4(sum);        // expect: sum = 1.5
}
// output: c = (1.5, 1.5, 1.5, 1.5)
