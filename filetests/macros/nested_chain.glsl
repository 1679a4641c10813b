// check: fragment
#version 330
#define A(x) B(x)
#define B(x) (x + nothing)         // via: B A // error: undeclared "`nothing` is not declared"
out vec4 c;
void main() {
    c = vec4(A(1.0));
}
