// check: fragment
#version 335                       // error: version "there is no version 335"
void main() { }
