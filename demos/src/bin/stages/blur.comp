#version 430 core

layout(local_size_x = 8, local_size_y = 8) in;

layout(rgba32f, binding = 0) uniform readonly image2D picture;
layout(rgba8, binding = 1) uniform writeonly image2D soft;

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 sum = imageLoad(picture, at) + imageLoad(picture, (at + ivec2(1, 0)) & 15);
    imageStore(soft, at, sum * 0.5);
}
