// run: emulate, instrument
// stage: fragment
// versions: 330, 450, 300es
// set: x = 2
precision highp float;   // only: 300es
precision highp int;     // only: 300es
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
