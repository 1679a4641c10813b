// check: fragment
#version 330
uniform float u;
out vec4 c;
float f(float a) {
    float u = a;                   // scope: u@3 a@5 c -f
    {
        float a = u;               // scope: u@6 a@5
        c.x = a;                   // scope: u@6 a@8
    }
    return a;                      // scope: a@5 u@6
}
void main() {
    for (int i = 0; i < 2; i++) {
        c.y = f(u);                // scope: i@14 u@3 -a
    }
    c.z = float(i);                // scope: -i // error: undeclared "`i` is not declared"
}
