// check: fragment
#version 330
out vec4 c;
void main() {
    c = vec4(vec2(1), vec2(2));
    c = vec4(vec3(1));             // error: constructor "`vec4` needs 4 components, the arguments have 3"
    c = vec4(vec4(1), 1);          // error: constructor "`vec4` is full: the arguments before this one have 4 components"
    c = vec4();                    // error: constructor "`vec4` needs an argument"
    vec2 v = vec2(vec4(1));        // value: vec2(vec4(1)) = vec2(1.0, 1.0)
    mat2 m = mat2(1, 2, 3, 4);     // value: mat2(1, 2, 3, 4) = mat2(1.0, 2.0, 3.0, 4.0)
    mat2 k = mat2(mat3(2));        // value: mat2(mat3(2)) = mat2(2.0, 0.0, 0.0, 2.0)
    bool b = bool(2.5);            // value: bool(2.5) = true
    int i = int(vec3(3.7, 1, 2));  // value: int(vec3(3.7, 1, 2)) = 3
}
