// check: fragment
#version 330
out vec4 c;
uniform mat4x3 m;
void main() {
    vec3 v = m * vec4(1);          // type: m * vec4(1) = vec3
    vec4 w = v * m;                // type: v * m = vec4
    v = m * v;                     // error: type-mismatch "`*` cannot be applied to `mat4x3` and `vec3`"
    bool b = v == vec3(1);         // type: v == vec3(1) = bool
    b = v < vec3(1);               // error: type-mismatch "`<` cannot be applied to `vec3` and `vec3`"
    b = b && 1;                    // error: type-mismatch "`&&` cannot be applied to `bool` and `int`"
    b = !3;                        // error: type-mismatch "`!` cannot be applied to `int`"
    int i = 7 % 2 << 1;            // value: 7 % 2 << 1 = 2
    i = 7.0 % 2;                   // error: type-mismatch "`%` cannot be applied to `float` and `int`"
    c = b ? v : 1.0;               // error: type-mismatch "`?:` with operands of types `vec3` and `float`"
}
