// run: emulate, instrument
// stage: fragment
// pixel: 5, 2
#version 330
out vec4 c;
void main() {
    vec2 p = gl_FragCoord.xy;            // expect: p = (5.5, 2.5)
    float f = p.x * 3.0 + p.y * 10.0;    // expect: f = 41.5
    vec2 d = vec2(dFdx(f), dFdy(f));     // expect: d = (3, 10)
    float w = fwidth(f);                 // expect: w = 13
    c = vec4(d, w, f);
}
// output: c = (3, 10, 13, 41.5)
