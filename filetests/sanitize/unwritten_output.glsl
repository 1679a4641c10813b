// run: emulate
// stage: fragment
// set: on = false
#version 450
uniform bool on;
out vec4 c;                    // finding: unwritten-output "output `c` is not written"
void main() {
    if (on)
        c = vec4(1);
}
