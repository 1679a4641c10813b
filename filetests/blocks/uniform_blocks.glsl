// check: fragment
#version 330
layout(std140) uniform Camera {
    mat4 view;
    vec3 eye;
};
uniform Named { float x; } named[2];
out vec4 c;
void main() {
    c = view * vec4(eye, 1);       // type: view = mat4 // scope: view@4 eye@5 named@7
    c.x = named[1].x;              // type: named[1].x = float
    c.x = named[2].x;              // error: out-of-bounds "index 2 is outside an array of 2"
    c.y = x;                       // error: undeclared "`x` is not declared"
    eye = vec3(1);                 // error: not-lvalue "this cannot be assigned to: `eye` is a uniform"
    c.z = Camera.eye.x;            // error: not-a-value "`Camera` is a block; name one of its members"
}
