// run: emulate, instrument
// stage: fragment
// set: k = 1
#version 330
uniform int k;
out vec4 c;
void main() {
    int path = 0;
    switch (k) {
    case 0:
        path += 1;         // never:
    case 1:
        path += 10;        // expect: path = 10
    case 2:
        path += 100;       // expect: path = 110
        break;
    default:
        path += 1000;      // never:
    }
    c = vec4(path);
}
// output: c = (110, 110, 110, 110)
