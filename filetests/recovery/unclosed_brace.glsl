// check: fragment
#version 330
out vec4 c;
void main() {
    c = vec4(y);
    if (true) {
        c = vec4(z);

// error: syntax "expected `}`, found the end of the shader" // error: syntax "expected `}`, found the end of the shader"
