// check: fragment
#version 330
uniform float w[];
out vec4 c;
void main() {
    c.x = w[4];                    // accepted:
    int i = 3;
    c.y = w[i];                    // error: unsized-array "an array without a size can only be indexed with constants"
}
