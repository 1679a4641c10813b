// run: emulate, instrument
// stage: fragment
// versions: 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: webgl
// Lines have the numbers that the author gave them.
// set: x = 1
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
#line 40
void main() {
    float n = float(__LINE__) + x;   // expect: n = 42
#line 9 3
    n += float(__LINE__);            // expect: n = 51
    c = vec4(n);
}
// output: c = (51, 51, 51, 51)
