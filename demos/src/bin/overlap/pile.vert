#version 330 core
in vec2 corner;
// The first column of a turn and a size together, then where the hub is.
uniform vec4 place;
uniform float depth;
out vec2 from_middle;

void main() {
    from_middle = corner.x * place.xy + corner.y * vec2(-place.y, place.x) + place.zw;
    gl_Position = vec4(from_middle, depth, 1.0);
}
