// check: fragment
#version 130
out vec4 color;
void main() {
    uint u = 1;                    // error: type-mismatch "`u` is `uint`, its initializer is `int`"
    int i = 1u;                    // error: type-mismatch "`i` is `int`, its initializer is `uint`"
    float f = 1u;                  // type: 1u = uint
    i = i + 1u;                    // error: type-mismatch "`+` cannot be applied to `int` and `uint`"
    color = vec4(f + u);           // type: f + u = float
}
