// check: fragment
#version 430
const int[2][3] a = { { 1, 2, 3 }, { 4, 5, 6 } };   // type: a = int[2][3]
const int k = a[1][2];             // value: k = 6
const int n = a.length() + a[0].length();  // value: n = 5
float[3] b[2];                     // type: b = float[2][3]
void main() { }
