// check: vertex
#version 400
invariant gl_Position;
precise out vec4 p;
out vec4 q;
invariant q;
invariant nothing;                 // error: undeclared "`nothing` is not declared"
void main() {
    gl_Position = vec4(1);
    invariant q;                   // error: invariant "`invariant` must be at global scope"
}
