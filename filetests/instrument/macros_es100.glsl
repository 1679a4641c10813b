// run: emulate, instrument
// stage: fragment webgl
// set: x = 2
precision highp float;
precision highp int;
#define TWICE(v) ((v) + (v))
#define ADD(to, v) to += TWICE(v)
uniform float x;
void main() {
    float sum = 0.0;
    ADD(sum, x);           // expect: sum = 4
    ADD(sum, x * 2.0);     // expect: sum = 12
    gl_FragColor = vec4(sum);
}
// output: gl_FragColor = (12, 12, 12, 12)
