// check: fragment vendor=mesa
#version 330
out vec4 c;
void main() {
    c = vec4(nothing);             // error: undeclared "`nothing` is not declared"
}
