// check: fragment
#version 330
float f(float x);
out vec4 c;
void main() {
    c = vec4(f(1.0));              // accepted:
}
