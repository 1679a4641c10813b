// run: emulate
// stage: fragment
// set: i = -1
#version 450
layout(rgba8) uniform image2D s;
uniform int i;
out vec4 c;
void main() {
    c = vec4(0);
    imageStore(s, ivec2(0, i), c);       // finding: out-of-bounds "texel (0, -1) is outside of 2 x 2 texels"
}
