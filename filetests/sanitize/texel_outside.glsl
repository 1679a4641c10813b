// run: emulate
// stage: fragment
// set: i = 2
#version 450
uniform sampler2D s;
uniform int i;
out vec4 c;
void main() {
    c = vec4(0);
    c = texelFetch(s, ivec2(i, 0), 0);   // finding: out-of-bounds "texel (2, 0) is outside of 2 x 2 texels"
}
