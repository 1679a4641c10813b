// check: fragment
#version 400
float f(float a, double b) { return a; }
float f(double a, float b) { return b; }
float g(uint a) { return 1.0; }
float g(float a) { return 2.0; }
out vec4 c;
void main() {
    c.x = f(1.0, 1.0);             // error: ambiguous-call "more than one `f` takes `(float, float)` and none fits best"
    c.y = g(1);                    // error: ambiguous-call "more than one `g` takes `(int)` and none fits best"
}
