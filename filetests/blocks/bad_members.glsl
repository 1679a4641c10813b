// check: fragment
#version 330
uniform A { sampler2D s; };        // error: opaque-variable "`s`: a block cannot hold samplers, images or counters"
uniform B { float x = 1.0; };      // error: initializer "members of a block cannot be initialized"
uniform C { float y; };
uniform C { float z; };            // error: redefinition "block `C` is declared twice"
uniform D { float y; };            // error: redefinition "`y` is declared twice in this scope"
buffer E { float w; };             // error: syntax "expected `;`, found `{`"
void main() { }
