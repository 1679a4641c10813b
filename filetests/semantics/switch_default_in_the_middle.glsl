// run: emulate, instrument
// stage: fragment
// set: k = 9
#version 330
uniform int k;
out vec4 c;
void main() {
    int path = 0;
    switch (k) {
    case 1:
        path += 1;         // never:
        break;
    default:
        path += 10;        // expect: path = 10
    case 2:
        path += 100;       // expect: path = 110
    }
    c = vec4(path);
}
// output: c = (110, 110, 110, 110)
