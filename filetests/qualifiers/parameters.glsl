// check: fragment
#version 330
void f(const in int a, out int b, inout int c) { b = a; c = a; }
void g(const out int a) { }        // error: qualifier "`out` cannot be combined with `const`"
void h(uniform int a) { }          // error: qualifier "`uniform` is not for parameters"
void k(const int a) { a = 1; }     // error: not-lvalue "this cannot be assigned to: `a` is a constant"
void main() { }
