// run: emulate, instrument
// stage: fragment
// set: x = 0
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
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
