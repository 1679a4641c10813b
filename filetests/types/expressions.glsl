// check: fragment
#version 450
uniform sampler2DShadow s;
uniform mat3x2 m;
out vec4 c;
void main() {
    float d = texture(s, vec3(0));  // type: texture(s, vec3(0)) = float // type: s = sampler2DShadow
    vec2 v = m[1];                  // type: m[1] = vec2 // type: m = mat3x2
    mat2x3 t = transpose(m);        // type: transpose(m) = mat2x3
    c = vec4(v.yx, d, m[2][1]);     // type: v.yx = vec2 // type: m[2][1] = float
    c = d > 0.5 ? c : vec4(1);      // type: d > 0.5 ? c : vec4(1) = vec4 // type: d > 0.5 = bool
    int i = (1, 2);                 // type: (1, 2) = int
    c.x += i;                       // type: c.x += i = float
    i = ~i & 3;                     // type: ~i = int // type: ~i & 3 = int
}
