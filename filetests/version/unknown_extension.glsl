// check: fragment
#version 330
#extension GL_ARB_no_such_thing : enable   // warning: extension-unsupported "extension `GL_ARB_no_such_thing` is not supported in GLSL 3.30"
#extension GL_ARB_no_such_thing : require  // error: extension-unsupported "extension `GL_ARB_no_such_thing` is not supported in GLSL 3.30"
#extension all : require                   // error: extension "`all` can only be `warn` or `disable`"
#extension GL_ARB_gpu_shader5 : sometimes  // error: extension "`sometimes` is none of `require`, `enable`, `warn` and `disable`"
void main() { }
