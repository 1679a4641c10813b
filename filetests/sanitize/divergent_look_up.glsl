// run: emulate
// stage: fragment
// pixel: 1, 1
#version 450
uniform sampler2D s;
out vec4 c;
vec4 look(vec2 at) {
    return texture(s, at);     // finding: divergent-derivative "the level of detail of a look-up"
}
void main() {
    c = vec4(0);
    if (gl_FragCoord.x < 1.0 || gl_FragCoord.y < 1.0)
        return;
    c = look(gl_FragCoord.xy);
}
