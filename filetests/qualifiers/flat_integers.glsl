// check: fragment
#version 330
in int i;                          // error: flat "`i`: integer and double inputs of a fragment shader must be `flat`"
flat in int j;
flat in uvec2 k;
smooth in vec2 v;
smooth flat in vec2 w;             // error: qualifier "more than one interpolation qualifier"
out vec4 c;
void main() { c = vec4(j); }
