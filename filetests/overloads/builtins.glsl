// check: fragment
#version 450
uniform sampler2D s;
out vec4 c;
void main() {
    c = texture(s, vec2(0));       // type: texture(s, vec2(0)) = vec4
    c.x = dot(vec3(1), vec3(2));   // type: dot(vec3(1), vec3(2)) = float // value: dot(vec3(1), vec3(2)) = 6.0
    c.y = dot(vec3(1), vec2(2));   // error: no-overload "no `dot` takes `(vec3, vec2)`"
    bvec2 b = lessThan(vec2(0), vec2(1));  // type: b = bvec2
    ivec2 size = textureSize(s, 0);        // type: textureSize(s, 0) = ivec2
    c = texture(s);                // error: no-overload "no `texture` takes `(sampler2D)`"
    c.z = mix(1, 2, 0.5);          // type: mix(1, 2, 0.5) = float
}
