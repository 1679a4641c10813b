// run: emulate
// stage: fragment
// set: x = (2, 0)
#version 450
uniform vec2 x;
out vec4 c;
void main() {
    c = vec4(0);
    vec2 v = vec2(4, 2);
    v /= x;                // finding: division-by-zero "vec2(4.0, 2.0) / vec2(2.0, 0.0)"
    c.xy = v;
}
