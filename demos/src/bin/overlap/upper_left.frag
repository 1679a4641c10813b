#version 330 core
layout(origin_upper_left) in vec4 gl_FragCoord;
in vec2 from_middle;
uniform vec4 colour;
uniform float hole;
out vec4 result;

void main() {
    if (length(from_middle) < hole) {
        discard;
    }
    // Darker from row to row downwards. Derivatives are upwards, whatever rows are counted from.
    float row = gl_FragCoord.y * -dFdy(gl_FragCoord.y);
    result = vec4(colour.rgb * (1.0 - row / 128.0), colour.a);
}
