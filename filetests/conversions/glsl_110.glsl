// check: fragment
#version 110
void main() {
    float a = 1;                   // error: type-mismatch "`a` is `float`, its initializer is `int`"
    float b = float(1);
    int c = 1.0;                   // error: type-mismatch "`c` is `int`, its initializer is `float`"
    a = b + 1;                     // error: type-mismatch "`+` cannot be applied to `float` and `int`"
    bool d = 1;                    // error: type-mismatch "`d` is `bool`, its initializer is `int`"
}
