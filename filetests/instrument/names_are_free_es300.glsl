// run: emulate, instrument
// stage: fragment
// Whatever names the shader has, those that are added are others.
// set: x = 2
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
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
