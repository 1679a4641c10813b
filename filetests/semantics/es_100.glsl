// run: emulate, instrument
// stage: fragment webgl
// set: x = 0.25
precision mediump float;
uniform float x;
const int COUNT = 3;
void main() {
    float sum = 0.0;
    float last = 0.0;
    for (int i = 0; i < COUNT; ++i) {
        float k = float(i);
        if (i == 1)
            continue;
        sum += k * x;      // expect: sum = 0 | 0.5
        last = k;          // expect: last = 0 | 2
    }
    gl_FragColor = vec4(sum, last, x, 1.0);
}
// output: gl_FragColor = (0.5, 2, 0.25, 1)
