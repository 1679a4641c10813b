// check: fragment
#version 330
const int n = 2;
float a[n + 1];                    // type: a = float[3]
float b[0];                        // error: array-size "the size of an array must be greater than zero, this is 0"
float c[-1];                       // error: array-size "the size of an array must be greater than zero, this is -1"
uniform int u;
float d[u];                        // error: not-constant "the size of an array must be a constant expression"
float e[2.0];                      // error: type-mismatch "the size of an array must be an integer, this is `float`"
float[2] f = float[](1.0, 2.0);    // type: float[](1.0, 2.0) = float[2]
float g[2] = float[3](1.0, 2.0, 3.0);   // error: type-mismatch "`g` is `float[2]`, its initializer is `float[3]`"
void main() {
    int i = a.length();            // value: a.length() = 3
    a[3] = 1.0;                    // error: out-of-bounds "index 3 is outside an array of 3"
    a[i] = 1.0;
    a = f;                         // error: type-mismatch "`float[2]` cannot be assigned to `float[3]`"
}
