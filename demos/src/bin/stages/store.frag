#version 430 core

in vec3 shade;

layout(std430, binding = 1) buffer Kept {
    vec4 kept[];
};
layout(rgba32f, binding = 0) uniform writeonly image2D picture;

// Nothing of this is drawn: it is only stored.
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy) & 15;
    kept[at.y * 16 + at.x] = vec4(shade * 0.8, 1.0);
    imageStore(picture, at, vec4(shade.zyx, 0.5));
    discard;
}
