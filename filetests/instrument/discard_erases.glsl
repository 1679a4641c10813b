// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// set: x = 2
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
void main() {
    c = vec4(x);          // expect: c = (2, 2, 2, 2)
    if (x > 1.0)
        discard;
    c = vec4(0.0);        // never:
}
// discarded:
