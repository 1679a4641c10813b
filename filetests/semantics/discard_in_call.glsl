// run: emulate, instrument
// stage: fragment
// set: keep = false
#version 330
uniform bool keep;
out vec4 c;
float half_or_nothing(float x) {
    if (!keep)
        discard;
    return x * 0.5;        // never:
}
void main() {
    c = vec4(half_or_nothing(3.0));
    c.x = 7.0;             // never:
}
// discarded:
