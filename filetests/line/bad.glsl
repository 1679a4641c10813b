// check: fragment
#version 330
#line                              // error: line-directive "the form is `#line LINE` or `#line LINE STRING`"
#line abc                          // error: line-directive "the form is `#line LINE` or `#line LINE STRING`"
void main() { }
