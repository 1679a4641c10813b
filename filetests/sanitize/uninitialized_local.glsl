// run: emulate
// stage: fragment
// set: on = false
#version 450
uniform bool on;
out vec4 c;
void main() {
    c = vec4(0);
    float x;
    if (on)
        x = 1.0;
    c.x = x * 2.0;         // finding: uninitialized "`x` is read, but was never written"
}
