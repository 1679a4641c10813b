// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// set: x = 0
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
float count;
float next(float by) {
    count += by;           // expect: count = 1 | 11 | 111
    return count;
}
float three(float a, float b, float d) {
    float r = a * 1.0 + b * 2.0 + d * 3.0;   // expect: r = 356
    return r;
}
void main() {
    count = x;
    c = vec4(three(next(1.0), next(10.0), next(100.0)));
}
// output: c = (356, 356, 356, 356)
