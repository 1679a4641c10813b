// check: fragment
#version 330
uniform int u;
uniform float f;
out vec4 c;
void main() {
    switch (u) {
    case 1:
    case 1 + 1:                    // value: 1 + 1 = 2
        c = vec4(1);
        break;
    case 2:                        // error: case "duplicate case 2"
    case 1.0:                      // error: type-mismatch "a case label must be an integer, this is `float`"
    case u:                        // error: not-constant "a case label must be a constant expression"
    default:
        c = vec4(2);
    default:                       // error: case "duplicate `default`"
        break;
    }
    switch (f) { case 1: break; }  // error: type-mismatch "`switch` needs a scalar integer, this is `float`"
    case 3:                        // error: case "`case` outside a `switch`"
    break;                         // error: break "`break` outside a loop or `switch`"
}
