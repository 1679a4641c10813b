// check: fragment
#version 330
uniform float a;                   // label: "declared here"
uniform int a;                     // error: redefinition "`a` is declared twice in this scope"
out vec4 c;
void main() {
    int x;
    float x;                       // error: redefinition "`x` is declared twice in this scope"
    { int x; }
    c = vec4(1);
}
