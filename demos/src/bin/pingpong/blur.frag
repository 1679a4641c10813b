#version 330 core
in vec2 at;
uniform sampler2D before;
uniform vec2 stride;
out vec4 blurred;

void main() {
    blurred = texture(before, at) * 0.375;
    blurred += (texture(before, at + stride) + texture(before, at - stride)) * 0.25;
    blurred += (texture(before, at + stride * 2.0) + texture(before, at - stride * 2.0)) * 0.0625;
}
