#version 330
// Compiles everywhere, looks right on one GPU and wrong on the next.
uniform float radius[4];
uniform int ring;
out vec4 colour;

float falloff(vec2 p, float r)
{
    float inside = r * r - dot(p, p);
    return sqrt(inside) / r;
}

void main()
{
    vec2 p = gl_FragCoord.xy - vec2(16.0);
    float glow;
    if (p.x > 0.0)
        glow = 0.25;
    colour = vec4(falloff(p, radius[ring]) + glow);
}
