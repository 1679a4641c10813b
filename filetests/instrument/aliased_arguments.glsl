// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// set: x = 3
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
float add(inout float a, float b) {
    a += 1.0;              // expect: a = 4
    return a + b;          // expect: b = 3
}
void main() {
    float v = x;
    float r = add(v, v);   // expect: r = 7 // expect: v = 4
    c = vec4(v, r, 0.0, 1.0);
}
// output: c = (4, 7, 0, 1)
