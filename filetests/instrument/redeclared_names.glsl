// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, 300es
// word: c = gl_FragColor          // only: 120
// A name that is declared again means what it means there.
// set: x = 2
precision highp float;             // only: 300es
precision highp int;               // only: 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
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
