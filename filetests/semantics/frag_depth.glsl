// run: emulate, instrument
// stage: fragment
// set: near = true
#version 330
uniform bool near;
out vec4 c;
void main() {
    c = vec4(1);
    gl_FragDepth = 0.5;        // expect: gl_FragDepth = 0.5
    if (near)
        gl_FragDepth *= 0.5;   // expect: gl_FragDepth = 0.25
}
// output: gl_FragDepth = 0.25
