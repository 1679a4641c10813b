// check: fragment
#version 330
uniform int u;
const int a = u;                   // error: not-constant "the initializer of `a` must be a constant expression"
const int b = 08;                  // error: number "`08` is not a number: a leading zero makes it octal, with digits up to 7"
const int c = 5000000000;          // error: number "`5000000000` is not a number: it does not fit into its type"
const float d = 1.0.0;             // error: syntax "expected `;`, found `.0`"
const int e = 1 / 0;               // warning: division-by-zero "division by zero"
void main() { }
