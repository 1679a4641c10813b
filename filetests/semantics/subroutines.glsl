// run: emulate, instrument
// stage: fragment
// set: x = 3.0
#version 400
subroutine float Shape(float v);
subroutine(Shape) float square(float v) { return v * v; }
subroutine uniform Shape shape;
uniform float x;
out vec4 c;
void main() {
    float y = shape(x);    // expect: y = 9
    c = vec4(y);
}
// output: c = (9, 9, 9, 9)
