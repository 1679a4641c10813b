// check: fragment
#version 300 es
precision mediump float;
precision highp sampler3D;
uniform sampler3D a;
uniform sampler2DArray b;          // error: precision "no precision for `sampler2DArray`: fragment shaders have no default for it"
precision highp bool;              // error: precision "there is no default precision for `bool`"
precision highp vec2;              // error: precision "there is no default precision for `vec2`"
highp bool c;                      // error: precision "`bool` has no precision"
out vec4 color;
void main() { color = texture(a, vec3(0.0)); }
