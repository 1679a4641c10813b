// check: fragment
#version 430
layout(location = 0) out vec4 a;
layout(location = 1, index = 0) out vec4 b;
layout(location = -1) out vec4 c;  // error: layout "`location` must be given as an integer literal in GLSL 4.30"
layout(location = 1 + 1) out vec4 d;  // error: layout "`location` must be given as an integer literal in GLSL 4.30"
layout(binding = 3) uniform sampler2D s;
layout(binding = 3) uniform float f;  // error: layout "`binding` is not for uniforms"
layout(nonsense) uniform float g;  // error: layout "there is no layout qualifier `nonsense`"
void main() { }
