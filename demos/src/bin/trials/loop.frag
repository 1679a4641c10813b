#version 120
uniform int rounds;

// A generator of pseudo-random numbers below 4096. They are whole and small, so that nothing is ever rounded.
float after(float number) {
    return mod(number * 5.0 + 3.0, 4096.0);
}

void main() {
    float number = 1.0;
    for (int i = 0; i < rounds; i++) {
        number = mod(number * 5.0 + 3.0, 4096.0);
    }
    number = after(number);
    gl_FragColor = vec4(number / 4096.0, 1.0 - number / 4096.0, 0.5, 1.0);
}
