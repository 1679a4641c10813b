// check: fragment
#version 330
#define JOIN(a, b) a ## b          // via: JOIN // error: undeclared "`ac` is not declared"
const int ab = 5;
const int k = JOIN(a, b);          // value: JOIN(a, b) = 5
const int m = JOIN(a, c);
