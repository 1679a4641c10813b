// check: fragment
#version 330
const int k = 1;
uniform vec4 u;
in vec4 v;
out vec4 c;
void main() {
    k = 2;                         // error: not-lvalue "this cannot be assigned to: `k` is a constant"
    u.x = 1.0;                     // error: not-lvalue "this cannot be assigned to: `u` is a uniform"
    v = u;                         // error: not-lvalue "this cannot be assigned to: `v` is an input"
    c.xx = vec2(1);                // error: not-lvalue "this cannot be assigned to: the swizzle `.xx` names a component twice"
    c.xy = vec2(1);
    c.xyz++;
    1 = 2;                         // error: not-lvalue "this cannot be assigned to: it is a literal"
    (c) = u;
    (c + u) = u;                   // error: not-lvalue "this cannot be assigned to: it is the result of an operator"
    gl_FragCoord.x = 1.0;          // error: not-lvalue "this cannot be assigned to: `gl_FragCoord` is an input"
    v.x++;                         // error: not-lvalue "this cannot be changed: `v` is an input"
}
