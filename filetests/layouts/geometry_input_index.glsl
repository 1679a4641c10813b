// check: geometry
// xfail: inputs get their size from the primitive after their uses have been checked
#version 330
layout(triangles) in;
layout(points, max_vertices = 1) out;
in vec2 uv[];
void main() {
    vec2 v = uv[3];                // error: array-index ""
}
