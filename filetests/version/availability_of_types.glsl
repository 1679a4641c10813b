// check: fragment
#version 330
out vec4 c;
void main() {
    double d = 1.0;                // error: reserved-word "`double` is a reserved word in GLSL 3.30"
    uint u = 1u;                   // type: 1u = uint
    c = vec4(u);
}
