// check: fragment
#version 330
uniform vec3 light_position;
out vec4 color;
void main() {
    vec3 n = normalise(light_position);   // note: "did you mean `normalize`?" // error: undeclared "there is no function `normalise`"
    color = vec4(ligth_position, 1.0);    // note: "did you mean `light_position`?" // error: undeclared "`ligth_position` is not declared"
    colour = color;                       // note: "did you mean `color`?" // error: undeclared "`colour` is not declared"
    float f = gl_FragCord.x;              // note: "did you mean `gl_FragCoord`?" // error: undeclared "`gl_FragCord` is not declared"
    vce3 v;                               // note: "did you mean `vec3`?" // error: unknown-type "unknown type `vce3`"
}
