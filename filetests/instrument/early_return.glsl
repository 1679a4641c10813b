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
float search(float limit) {
    for (int i = 0; i < 5; i++) {
        float v = float(i) * x;   // expect: v = 0 | 2 | 4 | 0
        if (v > limit)
            return v;             // expect: v = 4 | 0
        if (limit < 0.0)
            return limit;
    }
    return -1.0;                  // never:
}
void main() {
    float a = search(3.0);        // expect: a = 4
    float b = search(-2.0) + x;   // expect: b = 2
    c = vec4(a, b, 0.0, 1.0);
}
// output: c = (4, 2, 0, 1)
