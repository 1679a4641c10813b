// check: fragment
#version 120
void main() {
    float f = floor(0.5);
    float r = round(0.5);          // note: "available from" // error: undeclared "there is no function `round`"
    vec4 t = texture(s, f);        // error: undeclared "there is no function `texture`" // error: undeclared "`s` is not declared"
    gl_FragColor = vec4(f + r);
}
