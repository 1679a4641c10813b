// run: emulate, instrument
// stage: fragment
// A name that is declared again means what it means there.
// set: x = 2
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
float f(float i) {
    i += 1.0;              // expect: i = 3
    {
        float i = 10.0;    // expect: i = 10
        i += x;            // expect: i = 12
    }
    return i;              // expect: i = 3
}
void main() {
    c = vec4(f(x));
}
// output: c = (3, 3, 3, 3)
