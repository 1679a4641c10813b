// check: fragment
#version 330
out vec4 c;
void main() {
    vec3 v = nothing * 2.0 + vec3(1);   // error: undeclared "`nothing` is not declared"
    c = vec4(v, 1) + v.xyzw;            // error: bad-swizzle "`.xyzw` asks for component `w`, which `vec3` does not have"
    unknown_type w = 1;                 // error: unknown-type "unknown type `unknown_type`"
    c = w;
}
