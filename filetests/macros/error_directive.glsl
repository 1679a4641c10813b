// check: fragment
#version 330
#ifndef FEATURE
#error this needs FEATURE          // error: user-error "this needs FEATURE"
#endif
void main() { }
