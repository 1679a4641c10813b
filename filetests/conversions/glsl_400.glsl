// check: fragment
#version 400
out vec4 color;
void main() {
    uint u = 1;                    // accepted:
    double d = u;                  // type: d = double
    d = d + 1;                     // type: d + 1 = double
    dmat2 m = mat2(1);             // type: m = dmat2
    color = vec4(d);
    color = d * vec4(1);           // type: d * vec4(1) = dvec4 // error: type-mismatch "`dvec4` cannot be assigned to `vec4`"
    int i = 1u;                    // error: type-mismatch "`i` is `int`, its initializer is `uint`"
}
