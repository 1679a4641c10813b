// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, 300es
// word: c = gl_FragColor          // only: 120
// The neighbours that derivatives need take part, though one pixel is asked about.
// pixel: 3, 4
// set: x = 3
precision highp float;             // only: 300es
precision highp int;               // only: 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
void main() {
    float f = gl_FragCoord.x * x;
    float d = dFdx(f);     // expect: d = 3
    c = vec4(d, f, 0.0, 1.0);
}
// output: c = (3, 10.5, 0, 1)
