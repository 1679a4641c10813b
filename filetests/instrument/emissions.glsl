// run: emulate, instrument
// stage: geometry
// versions: 330, 450, 320es
// set: width = 0.5
precision highp float;   // only: 320es
layout(points) in;
layout(triangle_strip, max_vertices = 6) out;
uniform float width;
out vec2 corner;
flat out int strip;
void vertex(int s, int i) {
    float side = i == 1 ? width : -width;   // expect: side = -0.5 | 0.5 | -0.5 | -0.5 | 0.5 | -0.5
    corner = vec2(side, float(i));
    strip = s;
    gl_Position = vec4(corner, float(s), 1.0);
    EmitVertex();
    corner = vec2(9.0);                     // expect: corner = (9, 9)
}
void main() {
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < 3; i++)
            vertex(s, i);
        EndPrimitive();
    }
    strip = 7;                              // expect: strip = 7
    corner = vec2(8.0);
}
// emitted: corner = (-0.5, 0) | (0.5, 1) | (-0.5, 2) | (-0.5, 0) | (0.5, 1) | (-0.5, 2)
// emitted: strip = 0 | 0 | 0 | 1 | 1 | 1
