// run: emulate, instrument
// stage: fragment
// set: on = true
#version 330
uniform bool on;
out vec4 c;
int yes = 0, no = 0;
int count_yes() { return ++yes; }
int count_no() { return ++no; }
void main() {
    int v = on ? count_yes() : count_no();   // expect: v = 1 // expect: yes = 1 // expect: no = 0
    v = !on ? count_yes() : count_no();      // expect: v = 1 // expect: yes = 1 // expect: no = 1
    v = on ? on ? count_yes() : 7 : 8;       // expect: v = 2
    c = vec4(v, yes, no, 0);
}
// output: c = (2, 2, 1, 0)
