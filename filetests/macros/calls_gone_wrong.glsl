// check: fragment
#version 330
#define TWO(a, b) (a + b)
out vec4 c;
void main() {
    c = vec4(TWO(1.0));            // error: macro-arguments "`TWO` takes 2 arguments and is given 1"
    c = vec4(TWO(1.0, 2.0));       // value: TWO(1.0, 2.0) = 3.0
    c = vec4(TWO(1.0, 2.0, 3.0));  // error: macro-arguments "`TWO` takes 2 arguments and is given 3"
}
