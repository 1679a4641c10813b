// check: fragment
#version 330
#define SCALE(x) (x * factor)      // via: SCALE // error: undeclared "`factor` is not declared"
#define TWICE(x) SCALE(x) + SCALE(x)
#define ID(x) x
out vec4 c;
void main() {
    c = vec4(SCALE(2.0));
    c += vec4(ID(missing));        // via: ID // error: undeclared "`missing` is not declared"
}
