// run: emulate, instrument
// stage: fragment
// set: n = 2
#version 300 es
precision highp float;
precision highp int;
uniform int n;
layout(location = 0) out vec4 c;
layout(location = 1) out ivec2 d;
void main() {
    int a[3] = int[3](1, 10, 100);
    int sum = 0;
    for (int i = 0; i <= n; i++)
        sum += a[i];       // expect: sum = 1 | 11 | 111
    d = ivec2(sum, a.length());
    uint u = uint(sum) << 1u;   // expect: u = 222
    c = vec4(float(u));
}
// output: c = (222, 222, 222, 222)
// output: d = (111, 3)
