// run: emulate, instrument
// stage: fragment
// Long chains get no deeper than they are.
// set: x = 100
#version 120
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
    else if (x == 21.0)
        n = 42.0;
    else if (x == 22.0)
        n = 44.0;
    else if (x == 23.0)
        n = 46.0;
    else if (x == 24.0)
        n = 48.0;
    else if (x == 25.0)
        n = 50.0;
    else if (x == 26.0)
        n = 52.0;
    else if (x == 27.0)
        n = 54.0;
    else if (x == 28.0)
        n = 56.0;
    else if (x == 29.0)
        n = 58.0;
    else if (x == 30.0)
        n = 60.0;
    else if (x == 31.0)
        n = 62.0;
    else if (x == 32.0)
        n = 64.0;
    else if (x == 33.0)
        n = 66.0;
    else if (x == 34.0)
        n = 68.0;
    else if (x == 35.0)
        n = 70.0;
    else if (x == 36.0)
        n = 72.0;
    else if (x == 37.0)
        n = 74.0;
    else if (x == 38.0)
        n = 76.0;
    else if (x == 39.0)
        n = 78.0;
    else if (x == 40.0)
        n = 80.0;
    else
        n = 5.0;           // expect: n = 5
    gl_FragColor = vec4(n);
}
// output: gl_FragColor = (5, 5, 5, 5)
