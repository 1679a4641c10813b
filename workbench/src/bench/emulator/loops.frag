#version 330
in vec4 p;
out vec4 colour;

// An escape-time fractal: each lane leaves the inner loop when it is done.
void main()
{
    float total = 0.0;
    for (int k = 0; k < 8; k++) {
        float cx = p.x * 1.5 - 1.25 + float(k) * 0.015625, cy = p.y * 0.75 - 0.25;
        float x = 0.0, y = 0.0;
        int n = 0;
        while (n < 64 && x * x + y * y < 4.0) {
            float t = x * x - y * y + cx;
            y = 2.0 * x * y + cy;
            x = t;
            n++;
        }
        total += float(n);
    }
    colour = vec4(total, p.x, p.y, 1.0);
}
