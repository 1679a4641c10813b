// check: fragment
#version 330
const int a = __LINE__;            // value: a = 3 // line: 3
#line 100
const int b = __LINE__;            // value: b = 100 // line: 100
#line 7 3
const int c = __LINE__;            // value: c = 7 // line: 7 of 3
const int d = __FILE__;            // value: d = 3 // line: 8 of 3
int e = oops;                      // line: 9 of 3 // error: undeclared "`oops` is not declared"
