// check: fragment
#version 330
float f() { return; }              // error: return "`f` must return `float`"
void g() { return 1; }             // error: return "`g` is `void` and returns nothing"
int h() { return 1.0; }            // error: return "`h` returns `int`, this is `float`"
vec4 k() { }                       // error: return "`k` returns `vec4` but has no `return`"
void main() {
    continue;                      // error: continue "`continue` outside a loop"
    while (1) { break; }           // error: type-mismatch "the condition of a loop must be a scalar `bool`, this is `int`"
    if (1.0) { }                   // error: type-mismatch "the condition of `if` must be a scalar `bool`, this is `float`"
    for (int i = 0; i; i++) { }    // error: type-mismatch "the condition of a loop must be a scalar `bool`, this is `int`"
    do { } while (true);
}
