// run: emulate
// stage: fragment
// set: x = 3e9
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = float(int(x));   // finding: conversion "3000000000.0 does not fit `int`"
}
