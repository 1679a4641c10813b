// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// Whatever names the shader has, those that are added are others.
// set: x = 2
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform float x;
float ai_note, ai_live;
float ai_main(float ai_on) {
    ai_note += ai_on;      // expect: ai_note = 2
    return ai_note;
}
void main() {
    ai_note = 0.0;
    ai_live = ai_main(x);  // expect: ai_live = 2
    c = vec4(ai_live);
}
// output: c = (2, 2, 2, 2)
