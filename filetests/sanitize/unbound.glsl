// run: emulate
// stage: fragment
// set: other = 5
#version 450
uniform sampler2D other;
out vec4 c;
void main() {
    c = texture(other, vec2(0.5));   // finding: unbound "nothing is bound"
}
