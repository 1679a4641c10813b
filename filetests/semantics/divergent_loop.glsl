// run: emulate, instrument
// stage: fragment
// pixel: 3, 0
#version 330
out vec4 c;
void main() {
    // Neighbours in the quad leave the loop at other times.
    int n = int(gl_FragCoord.x), sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == 1)
            continue;
        sum += i + 1;      // expect: sum = 1 | 4
    }
    c = vec4(n, sum, 0, 0);
}
// output: c = (3, 4, 0, 0)
