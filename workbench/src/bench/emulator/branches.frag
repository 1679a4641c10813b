#version 330
in vec4 p;
out vec4 colour;

// Lanes part and meet in every iteration.
void main()
{
    float x = p.x, sum = 0.0;
    for (int i = 0; i < 200; i++) {
        x = x * 1.125 + p.y * 0.25;
        if (x > 1.0) {
            x = x - 1.0;
            sum += x * p.z;
            sum = min(sum, 64.0);
        } else {
            sum -= p.w * 0.125;
            x = x + 0.0625;
        }
        if (sum < -4.0)
            sum = sum + 8.0;
        sum = sum * 0.984375 + x;
    }
    colour = vec4(sum, x, 0.0, 1.0);
}
