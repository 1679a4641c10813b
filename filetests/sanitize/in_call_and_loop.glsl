// run: emulate
// stage: fragment
// set: n = 3
#version 450
uniform int n;
out vec4 c;
float root(int i) {
    return sqrt(float(1 - i));     // finding: domain "sqrt(-1.0)"
}
void main() {
    c = vec4(0);
    for (int i = 0; i < n; i++)
        c.x += root(i);
}
