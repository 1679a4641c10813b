// run: emulate
// stage: fragment
#version 450
struct S { float a; float b; };
out vec4 c;
void main() {
    c = vec4(0);
    S s;
    s.a = 1.0;
    S t = s;
    c.x = t.a + t.b;       // finding: uninitialized "`t.b` is read"
}
