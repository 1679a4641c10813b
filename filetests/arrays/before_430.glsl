// check: fragment
#version 330
float a[2][2];                     // note: "4.30" // error: array-of-arrays "arrays of arrays are not available in GLSL 3.30"
void main() { }
