// run: emulate
// stage: fragment
// set: x = -2
#version 450
uniform float x;
out vec4 c;
void main() {
    c = vec4(0);
    c.x = float(uint(x));  // finding: conversion "-2.0 does not fit `uint`"
}
