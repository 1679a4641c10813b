// run: emulate, instrument
// stage: vertex
// set: at = (1, 2, 3, 1)
#version 330
in vec4 at;
uniform float unset;
out vec3 colour;
void main() {
    gl_Position = at * 2.0;          // expect: gl_Position = (2, 4, 6, 2)
    gl_Position.w = 1.0 + unset;     // expect: gl_Position = (2, 4, 6, 1)
    colour = gl_Position.zyx;        // expect: colour = (6, 4, 2)
}
// output: gl_Position = (2, 4, 6, 1)
// output: colour = (6, 4, 2)
