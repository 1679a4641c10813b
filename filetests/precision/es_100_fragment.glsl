// check: fragment
#version 100
varying float v;                   // error: precision "no precision for `float`: fragment shaders have no default for it"
uniform sampler2D s;
varying mediump float w;
precision mediump float;
varying float x;
void main() {
    gl_FragColor = vec4(w + x) * texture2D(s, vec2(0.0));
}
