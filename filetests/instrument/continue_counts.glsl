// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// `continue` passes over what is at the end of a body, so iterations are counted at its top.
// set: x = 1
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
void main() {
    float sum = 0.0;
    for (int i = 0; i < 4; i++) {
        if (i == 1)
            continue;
        sum += x;          // expect: sum = 1 | 2 | 3
    }
    c = vec4(sum);
}
// output: c = (3, 3, 3, 3)
