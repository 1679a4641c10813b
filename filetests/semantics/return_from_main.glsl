// run: emulate, instrument
// stage: fragment
// set: on = true
#version 330
uniform bool on;
out vec4 c;
void main() {
    c = vec4(1);
    if (on)
        return;            // expect: c = (1, 1, 1, 1)
    c = vec4(2);           // never:
}
// output: c = (1, 1, 1, 1)
