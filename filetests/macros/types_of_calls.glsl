// check: fragment
#version 330
#define PI 3.14159
#define SQUARE(x) ((x) * (x))
out vec4 c;
void main() {
    c = vec4(SQUARE(2.0));         // type: SQUARE(2.0) = float // value: SQUARE(2.0) = 4.0
    float r = PI / 2.0;            // type: PI = float // type: PI / 2.0 = float
    c.x = r;
}
