// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// word: texture = texture2D       // only: 120, webgl
// Functions with samplers for parameters can be on the way to a moment.
// set: x = 2
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform sampler2D image;
uniform float x;
vec4 look(sampler2D s, vec2 at) {
    vec4 t = texture(s, at);    // expect: t = (0, 0, 0, 0)
    return t + x;
}
void main() {
    vec4 v = look(image, vec2(0.25, 0.75));   // expect: v = (2, 2, 2, 2)
    c = v;
}
// output: c = (2, 2, 2, 2)
