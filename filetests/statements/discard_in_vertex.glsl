// check: vertex
#version 330
void main() {
    discard;                       // error: discard "`discard` is for fragment shaders, this is a vertex shader"
}
