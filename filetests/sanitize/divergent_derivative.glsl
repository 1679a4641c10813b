// run: emulate
// stage: fragment
// pixel: 1, 0
#version 450
out vec4 c;
void main() {
    c = vec4(0);
    vec2 p = gl_FragCoord.xy;
    if (p.x > 1.0)
        c.x = dFdx(p.y);       // finding: divergent-derivative "2 of the quad's 4 invocations took another way"
}
