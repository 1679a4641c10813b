// run: emulate, instrument
// stage: fragment webgl
// Long chains get no deeper than they are.
// set: x = 100
precision highp float;
precision highp int;
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
    else
        n = 5.0;           // expect: n = 5
    gl_FragColor = vec4(n);
}
// output: gl_FragColor = (5, 5, 5, 5)
