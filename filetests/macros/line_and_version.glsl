// check: fragment
#version 330
const int a = __LINE__;            // value: a = 3
const int v = __VERSION__;         // value: v = 330
const int f = __FILE__;            // value: f = 0
#ifdef GL_core_profile
const int core = 1;                // value: core = 1
#endif
