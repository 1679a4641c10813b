// run: emulate, instrument
// stage: fragment
// set: x = 0
#version 120
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
    gl_FragColor = vec4(three(next(1.0), next(10.0), next(100.0)));
}
// output: gl_FragColor = (356, 356, 356, 356)
