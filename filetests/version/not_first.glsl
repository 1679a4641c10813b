// check: fragment
int a;
#version 330                       // error: version "`#version` must come before anything else"
void main() { }
