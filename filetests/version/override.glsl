// check: fragment version=450
#version 110
layout(location = 0) out vec4 c;
void main() {
    double d = 1.0lf;              // type: d = double
    c = vec4(d);                   // accepted:
}
