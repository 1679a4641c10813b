// run: emulate, instrument
// stage: fragment
// An endless loop keeps its `break`.
// set: x = 1
#version 450
layout(location = 0) out vec4 c;
uniform float x;
void main() {
    float n = 0.0;
    while (true) {
        n += x;            // expect: n = 1 | 2 | 3
        if (n > 2.5)
            break;         // expect: n = 3
    }
    c = vec4(n);
}
// output: c = (3, 3, 3, 3)
