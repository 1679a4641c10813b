// check: fragment
#version 330
float sin(float x, float y) { return x; }
out vec4 c;
void main() {
    c.x = sin(1.0, 2.0);           // type: sin(1.0, 2.0) = float
    c.y = sin(1.0);                // error: no-overload "no `sin` takes `(float)`"
}
