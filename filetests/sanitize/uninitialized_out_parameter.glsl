// run: emulate
// stage: fragment
// set: on = false
#version 450
uniform bool on;
out vec4 c;
void get(out float a, out float b) {
    a = 1.0;
    if (on)
        b = 2.0;
}
void main() {
    float x, y;
    get(x, y);
    c = vec4(x);
    c.y += y;                  // finding: uninitialized "`y` is read"
}
