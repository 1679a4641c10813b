#version 330
in vec4 p;
out vec4 colour;

vec3 turn(vec3 v, float by)
{
    return vec3(v.x - by * v.y, v.y + by * v.x, v.z);
}

// Lighting as shaders do it: vectors, dot products, a small function.
void main()
{
    vec3 normal = vec3(p.x, p.y, 1.0), light = vec3(p.z, 0.5, p.w), sum = vec3(0.0);
    for (int i = 0; i < 100; i++) {
        normal = turn(normal, 0.03125);
        float d = max(dot(normal, light), 0.0);
        vec3 r = 2.0 * d * normal - light;
        float s = clamp(r.z, 0.0, 1.0);
        s = s * s;
        sum = sum * 0.9375 + vec3(0.25, 0.5, 0.75) * d + vec3(s * s);
        light = mix(light, r, 0.03125);
    }
    colour = vec4(sum, 1.0);
}
