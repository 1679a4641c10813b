// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, 300es
// word: c = gl_FragColor          // only: 120
// An endless loop keeps its `break`.
// set: x = 1
precision highp float;             // only: 300es
precision highp int;               // only: 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
void main() {
    float n = 0.0;
    while (true) {
        n += x;            // expect: n = 1 | 2 | 3
        if (n > 2.5)
            break;         // expect: n = 3
    }
    c = vec4(n);
}
// output: c = (3, 3, 3, 3)
