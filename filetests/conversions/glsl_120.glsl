// check: fragment
#version 120
void main() {
    float a = 1;                   // type: a = float
    vec2 v = ivec2(1, 2);
    int c = 1.0;                   // error: type-mismatch "`c` is `int`, its initializer is `float`"
    a = a + 1;                     // type: a + 1 = float
    bool d = 1;                    // error: type-mismatch "`d` is `bool`, its initializer is `int`"
    gl_FragColor = vec4(a) * 2;    // type: vec4(a) * 2 = vec4
}
