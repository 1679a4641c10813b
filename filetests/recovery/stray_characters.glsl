// check: fragment
#version 330
out vec4 c;
void main() {
    float x = 1.0 @ 2.0;           // error: unknown-character "`@` has no meaning in GLSL"
    c = vec4(x) $;                 // error: undeclared "`x` is not declared" // error: unknown-character "`$` has no meaning in GLSL"
    int k = "text";                // error: unknown-character "`"` has no meaning in GLSL" // error: undeclared "`text` is not declared" // error: unknown-character "`"` has no meaning in GLSL"
}
