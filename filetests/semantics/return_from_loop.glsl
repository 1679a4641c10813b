// run: emulate, instrument
// stage: fragment
// set: limit = 7
#version 330
uniform int limit;
out vec4 c;
int first_square_above(int limit) {
    for (int i = 0; i < 100; i++) {
        for (int k = 0; k < 2; k++) {
            if (i * i > limit)
                return i * 10 + k;   // expect: i = 3
        }
    }
    return -1;             // never:
}
void main() {
    int found = first_square_above(limit);   // expect: found = 30
    int again = first_square_above(limit);   // expect: again = 30
    c = vec4(found, again, 0, 0);
}
// output: c = (30, 30, 0, 0)
