#version 330 core
// Rings around a point, sharp at any size: what `cargo xtask demo` steps through.

uniform vec2 centre;
uniform float width;

out vec4 colour;

float edge(float distance, float softness)
{
    return smoothstep(-softness, softness, distance);
}

void main()
{
    float radius = length(gl_FragCoord.xy - centre);
    float softness = fwidth(radius);
    float shade = 1.0;
    for (int ring = 0; ring < 3; ring++) {
        float outer = width * float(ring + 1);
        if (radius > outer)
            continue;
        shade = ring % 2 == 0 ? edge(outer - radius, softness) : 0.25;
        break;
    }
    colour = vec4(vec3(shade), 1.0);
}
