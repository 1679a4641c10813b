// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
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
