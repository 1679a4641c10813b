// check: geometry
#version 450
layout(points) in;
layout(points, max_vertices = 1) out;
layout(stream = 1) out;
out A { vec4 a; layout(stream = 1) vec4 b; };
layout(stream = 2) out B {
    layout(stream = 2) vec4 c;
    layout(stream = 1) vec4 d;  // error: layout "a member's `stream` must be that of its block"
};
out C {
    layout(stream = 0) vec4 e;  // error: layout "a member's `stream` must be that of its block"
};
void main() {
    a = b = c = d = e = vec4(1);
    EmitStreamVertex(1);
}
