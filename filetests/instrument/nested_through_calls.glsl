// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// set: x = 1
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
float inner(float s) {
    for (int j = 0; j < 2; j++) {
        s += x;            // expect: s = 1 | 2 | 2 | 3
    }
    return s;
}
void main() {
    float t = 0.0;
    for (int i = 0; i < 2; i++) {
        t = inner(float(i));      // expect: t = 2 | 3
    }
    c = vec4(t);
}
// output: c = (3, 3, 3, 3)
