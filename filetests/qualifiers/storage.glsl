// check: fragment
#version 330
const float k;                     // error: const-without-value "constant `k` needs a value"
uniform float u = 1.0;
in float a = 1.0;                  // error: initializer "inputs cannot be initialized in GLSL 3.30"
attribute vec4 p;                  // error: qualifier "`attribute` belongs to vertex shaders, this is a fragment shader"
out bool b;                        // error: interface-type "`b`: inputs and outputs cannot be `bool`"
in out float z;                    // error: qualifier "`out` cannot be combined with `in`"
void main() {
    uniform float local;           // error: qualifier "`uniform` is not for variables inside a function"
    const int c = 1;
}
