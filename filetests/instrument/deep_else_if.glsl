// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, 300es
// word: c = gl_FragColor          // only: 120
// Long chains get no deeper than they are.
// set: x = 100
precision highp float;             // only: 300es
precision highp int;               // only: 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
void main() {
    float n = 0.0;
    if (x == 0.0)
        n = 1.0;           // never:
    else if (x == 1.0)
        n = 2.0;
    else if (x == 2.0)
        n = 4.0;
    else if (x == 3.0)
        n = 6.0;
    else if (x == 4.0)
        n = 8.0;
    else if (x == 5.0)
        n = 10.0;
    else if (x == 6.0)
        n = 12.0;
    else if (x == 7.0)
        n = 14.0;
    else if (x == 8.0)
        n = 16.0;
    else if (x == 9.0)
        n = 18.0;
    else if (x == 10.0)
        n = 20.0;
    else if (x == 11.0)
        n = 22.0;
    else if (x == 12.0)
        n = 24.0;
    else if (x == 13.0)
        n = 26.0;
    else if (x == 14.0)
        n = 28.0;
    else if (x == 15.0)
        n = 30.0;
    else if (x == 16.0)
        n = 32.0;
    else if (x == 17.0)
        n = 34.0;
    else if (x == 18.0)
        n = 36.0;
    else if (x == 19.0)
        n = 38.0;
    else if (x == 20.0)
        n = 40.0;
    else
        n = 5.0;           // expect: n = 5
    c = vec4(n);
}
// output: c = (5, 5, 5, 5)
