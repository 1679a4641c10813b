precision mediump float;
varying vec3 world_normal;
varying vec2 surface;
uniform sampler2D image;
uniform vec2 repeat;
uniform vec3 tint;

void main() {
    vec3 normal = normalize(world_normal);
    float light = 0.35 + 0.65 * max(dot(normal, vec3(0.48, 0.64, 0.6)), 0.0);
    gl_FragColor = vec4(texture2D(image, surface * repeat).rgb * tint * light, 1.0);
}
