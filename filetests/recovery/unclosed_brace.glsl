// check: fragment
#version 330
out vec4 c;
void main() {
    c = vec4(y);                   // error: undeclared "`y` is not declared"
    if (true) {
        c = vec4(z);               // error: undeclared "`z` is not declared"
// error: unclosed "expected `}`"
