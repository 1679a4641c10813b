// check: fragment
#version 440
const int base = 2;
layout(location = base + 1) out vec4 a;   // value: base + 1 = 3
layout(location = base * 2) out vec4 b;   // value: base * 2 = 4
void main() { }
