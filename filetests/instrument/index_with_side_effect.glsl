// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, 300es
// word: c = gl_FragColor          // only: 120
// set: n = 1
precision highp float;             // only: 300es
precision highp int;               // only: 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform int n;
void main() {
    int a[3];
    a[0] = 1;
    a[1] = 2;
    a[2] = 3;
    int i = n;
    a[i++] += 10;          // expect: i = 2 // expect: a[1] = 12
    a[i] += a[i - 1];      // expect: a[2] = 15
    c = vec4(float(a[0]), float(a[1]), float(a[2]), float(i));
}
// output: c = (1, 12, 15, 2)
