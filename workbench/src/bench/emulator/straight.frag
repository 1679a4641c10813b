#version 330
in vec4 p;
out vec4 colour;

// One long computation: every lane takes the same way.
void main()
{
    float x = p.x, y = p.y;
    for (int i = 0; i < 200; i++) {
        float t = x * p.z + y;
        y = t * 0.5 - x * p.w;
        x = min(t, 1.5) + max(y, -1.0) * 0.25;
        y = y > 0.75 ? y - 0.5 : y;
        x = x * 0.875 + y * 0.125;
    }
    colour = vec4(x, y, 0.0, 1.0);
}
