// check: fragment
#version 330
float f(float x) { return f(x); }  // error: recursion "`f` calls itself through this"
float b(float x);
float a(float x) { return b(x); }  // error: recursion "`b` calls itself through this"
float b(float x) { return a(x); }
out vec4 c;
void main() { c = vec4(f(1.0) + a(1.0)); }
