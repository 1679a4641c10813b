// run: emulate, instrument
// stage: fragment
// set: i = 1
#version 430
uniform int i;
out vec4 c;
void main() {
    int a[2][3] = int[2][3](int[3](1, 2, 3), int[3](4, 5, 6));
    int x = a[i][2];       // expect: x = 6
    a[i][i] = 50;          // expect: a[1] = (4, 50, 6)
    int row[3] = a[i];     // expect: row = (4, 50, 6)
    row[0] = 0;            // expect: a[1] = (4, 50, 6)
    a[0] = row;            // expect: a = (0, 50, 6, 4, 50, 6)
    int n = a.length() * 10 + a[0].length();   // expect: n = 23
    c = vec4(x, a[0][1], row[0], n);
}
// output: c = (6, 50, 0, 23)
