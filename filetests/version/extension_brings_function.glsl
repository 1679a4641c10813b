// check: fragment
#version 120
#extension GL_EXT_gpu_shader4 : enable
void main() {
    float r = round(0.5);          // type: round(0.5) = float
    gl_FragColor = vec4(r);        // accepted:
}
