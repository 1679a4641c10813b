// check: fragment
#version 330
int gl_mine;                       // error: reserved-name "`gl_mine`: names that begin with `gl_` are reserved"
int a__b;                          // warning: reserved-name "`a__b`: names with two underscores in a row are reserved"
int union;                         // error: reserved-word "`union` is a reserved word in GLSL 3.30"
int input;                         // error: reserved-word "`input` is a reserved word in GLSL 3.30"
void main() { }
