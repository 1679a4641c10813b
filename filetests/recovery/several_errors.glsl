// check: fragment
#version 330
in vec3 n                          // error: syntax "expected `;`, found keyword `out`"
out vec4 c;
float f(float x) {
    float y = x +;                 // error: syntax "expected an expression, found `;`"
    return y * undefined_name;     // error: undeclared "`undefined_name` is not declared"
}
void main() {
    int i = 1.5;                   // error: type-mismatch "`i` is `int`, its initializer is `float`"
    if (i > 0 {                    // error: syntax "expected `)` after the condition, found `{`"
        c = vec4(0);
    }
    c = vec3(1);                   // error: type-mismatch "`vec3` cannot be assigned to `vec4`"
    float z = f(1.0, 2.0);         // error: no-overload "no `f` takes `(float, float)`"
}
