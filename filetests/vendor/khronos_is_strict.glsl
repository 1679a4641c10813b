// check: fragment
#version 120
void main() {
    gl_FragColor = vec4(1.0f);     // accepted:
    float a = 1.0;
    const float k = sqrt(4.0);     // value: k = 2.0
    const float n = a;             // error: not-constant "the initializer of `n` must be a constant expression"
}
