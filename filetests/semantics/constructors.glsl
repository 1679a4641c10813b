// run: emulate, instrument
// stage: fragment
// set: v = (1, 2, 3, 4)
#version 330
uniform vec4 v;
out vec4 c;
void main() {
    vec3 a = vec3(v.xy, v);            // expect: a = (1, 2, 1)
    vec4 b = vec4(v.w, v.zy, 0);       // expect: b = (4, 3, 2, 0)
    ivec2 i = ivec2(v.yz * 1.5);       // expect: i = (3, 4)
    bvec2 t = bvec2(v.x, 0);           // expect: t = (true, false)
    mat2 m = mat2(v.xy, v.zw);         // expect: m = (1, 2, 3, 4)
    mat3 n = mat3(m);                  // expect: n = (1, 2, 0, 3, 4, 0, 0, 0, 1)
    float f = float(v);                // expect: f = 1
    c = vec4(a.z, b.x, i);
}
// output: c = (1, 4, 3, 4)
