// run: emulate, instrument
// stage: fragment
// set: v = (1, 2, 3, 4)
#version 330
uniform vec4 v;
out vec4 c;
void main() {
    vec4 w = v;
    w.zx = w.xy;           // expect: w = (2, 2, 1, 4)
    w.xyzw = w.wzyx;       // expect: w = (4, 1, 2, 2)
    w.xy += w.yx;          // expect: w = (5, 5, 2, 2)
    w.rgb *= 2.0;          // expect: w = (10, 10, 4, 2)
    w.stpq.zw = vec2(0);   // expect: w = (10, 10, 0, 0)
    c = w.xxyw;
}
// output: c = (10, 10, 10, 0)
