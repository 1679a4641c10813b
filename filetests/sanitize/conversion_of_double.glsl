// run: emulate
// stage: fragment
// set: x = 1e300
#version 450
uniform double x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = float(x);        // finding: conversion "1e300lf does not fit `float`"
}
