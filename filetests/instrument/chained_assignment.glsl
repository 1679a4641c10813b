// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// set: x = 2
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
void main() {
    float z;
    vec2 v = vec2(0.0);
    v.x = z = x + 1.0;     // expect: v = (3, 0) // expect: z = 3
    c = vec4(v, z, 1.0);
}
// output: c = (3, 0, 3, 1)
