// run: emulate, instrument
// stage: fragment
// set: v = (1, 2, 3)
#version 330
uniform vec3 v;
out vec4 c;
void main() {
    bvec3 less = lessThan(v, vec3(2));         // expect: less = (true, false, false)
    bvec3 equal = equal(v, v.xxz);             // expect: equal = (true, false, true)
    bool both = v == vec3(1, 2, 3);            // expect: both = true
    bool some = any(less) && !all(less);       // expect: some = true
    vec3 picked = mix(v, vec3(9), not(less));  // expect: picked = (1, 9, 9)
    c = vec4(picked, float(both && some));
}
// output: c = (1, 9, 9, 1)
