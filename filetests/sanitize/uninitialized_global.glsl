// run: emulate
// stage: fragment
#version 450
float g;
out vec4 c;
float get() {
    return g;                  // finding: uninitialized "`g` is read"
}
void main() {
    c = vec4(get());
}
