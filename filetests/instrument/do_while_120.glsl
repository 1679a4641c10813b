// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 120
uniform float x;
void main() {
    float n = 0.0;
    do {
        n += x;            // expect: n = 1 | 2 | 3
        if (n == 2.0)
            continue;
    } while (n < 3.0);
    gl_FragColor = vec4(n);
}
// output: gl_FragColor = (3, 3, 3, 3)
