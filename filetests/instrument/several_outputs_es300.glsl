// run: emulate, instrument
// stage: fragment
// set: x = 2
#version 300 es
precision highp float;
precision highp int;
uniform float x;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
void main() {
    a = vec4(x);           // expect: a = (2, 2, 2, 2)
    b = a * 2.0;           // expect: b = (4, 4, 4, 4)
    a.x = b.y;             // expect: a = (4, 2, 2, 2)
}
// output: a = (4, 2, 2, 2)
// output: b = (4, 4, 4, 4)
