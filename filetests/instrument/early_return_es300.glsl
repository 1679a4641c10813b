// run: emulate, instrument
// stage: fragment
// set: x = 2
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
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
