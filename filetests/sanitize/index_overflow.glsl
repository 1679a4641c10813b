// run: emulate
// stage: fragment
// set: i = 65536
#version 450
uniform int i;
out vec4 c;
void main() {
    c = vec4(0);
    int a[2] = int[2](1, 2);
    c.x = float(a[(i * i) & 1]);   // finding: index-overflow "65536 * 65536"
}
