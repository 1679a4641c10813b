// check: fragment
#version 330
struct Light { vec3 position; float range; };
uniform Light light;
out vec4 c;
void main() {
    c.x = light.rnge;              // error: no-member "`Light` has no member `rnge`"
    c.y = light.range;             // type: light.range = float
    c.z = light.position.q;        // error: bad-swizzle "`.q` asks for component `w`, which `vec3` does not have"
    c.w = c.x.x;                   // type: c.x = float // error: no-member "`float` has no member `x`"
    Light copy = light;            // type: copy = Light
}
