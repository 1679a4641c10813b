// check: fragment
#version 300 es
precision mediump float;
out vec4 color;
void main() {
    float a = 1;                   // error: type-mismatch "`a` is `float`, its initializer is `int`"
    color = vec4(1, 2, 3, 4);      // type: vec4(1, 2, 3, 4) = vec4
    color = color * 2;             // error: type-mismatch "`*` cannot be applied to `vec4` and `int`"
    int i = int(a) + 1;            // type: int(a) + 1 = int
}
