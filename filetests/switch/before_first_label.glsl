// check: fragment
#version 330
out vec4 c;
void main() {
    switch (1) {
        c = vec4(1);               // error: case "a `switch` begins with a `case` or `default` label"
    case 1:
        break;
    }
}
