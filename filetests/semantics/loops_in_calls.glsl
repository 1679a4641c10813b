// run: emulate, instrument
// stage: fragment
// set: n = 2
#version 330
uniform int n;
out vec4 c;
int row(int from) {
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += from + k;   // expect: sum = 0 | 1 | 10 | 21
    return sum;
}
int table() {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += row(i * 10);   // expect: sum = 1 | 22
    return sum;
}
void main() {
    int t = table();       // expect: t = 22
    c = vec4(t);
}
// output: c = (22, 22, 22, 22)
