// check: fragment
#version 330
float f(float x) { return x; }
vec2 f(vec2 x) { return x; }
out vec4 c;
void main() {
    c.x = f(1.0);                  // type: f(1.0) = float
    c.xy = f(vec2(1.0));           // type: f(vec2(1.0)) = vec2
    c.x = f(1);                    // type: f(1) = float
    c.x = f(true);                 // note: "candidate" // error: no-overload "no `f` takes `(bool)`"
    c.x = f();                     // error: no-overload "no `f` takes `()`"
}
