// check: fragment
#version 330
void f(out float x, inout int n) { x = 1.0; n++; }
uniform int u;
out vec4 c;
void main() {
    int n = 1;
    f(c.x, n);                     // type: f(c.x, n) = void
    f(c.x, 3);                     // error: not-lvalue "this cannot be passed as an `out` or `inout` argument: it is a literal"
    f(c.x, u);                     // error: not-lvalue "this cannot be passed as an `out` or `inout` argument: `u` is a uniform"
}
