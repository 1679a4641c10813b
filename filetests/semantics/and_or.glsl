// run: emulate, instrument
// stage: fragment
// set: t = true
#version 330
uniform bool t;
out vec4 c;
int asked = 0;
bool ask(bool answer) {
    asked++;
    return answer;
}
void main() {
    bool b = t && ask(true);           // expect: b = true // expect: asked = 1
    b = !t && ask(true);               // expect: b = false // expect: asked = 1
    b = t || ask(true);                // expect: b = true // expect: asked = 1
    b = !t || ask(false);              // expect: b = false // expect: asked = 2
    b = ask(true) && ask(false) && ask(true) || ask(true);   // expect: b = true // expect: asked = 5
    b = ask(true) ^^ ask(true);        // expect: b = false // expect: asked = 7
    c = vec4(asked);
}
// output: c = (7, 7, 7, 7)
