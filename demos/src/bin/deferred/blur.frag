#version 330 core
in vec2 at;
uniform sampler2D image;
uniform vec2 stride;
out vec4 blurred;

const float weights[7] = float[](0.196, 0.175, 0.121, 0.065, 0.027, 0.009, 0.005);

void main() {
    vec3 sum = texture(image, at).rgb * weights[0];
    for (int i = 1; i < 7; ++i) {
        sum += texture(image, at + stride * float(i)).rgb * weights[i];
        sum += texture(image, at - stride * float(i)).rgb * weights[i];
    }
    blurred = vec4(sum, 1.0);
}
