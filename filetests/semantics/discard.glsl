// run: emulate, instrument
// stage: fragment
// set: keep = false
#version 330
uniform bool keep;
out vec4 c;
void main() {
    c = vec4(1);           // expect: c = (1, 1, 1, 1)
    if (!keep)
        discard;
    c = vec4(2);           // never:
}
// discarded:
