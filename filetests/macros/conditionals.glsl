// check: fragment
#version 330
#if defined(GL_ES) || __VERSION__ < 300
never this
#elif 1 + 1 == 2
const int k = 1;                   // value: k = 1
#else
nor this
#endif
#if 1 / 0                          // error: division-by-zero "division by zero"
#endif
#ifdef X
#else
#else                              // error: unbalanced-conditional "`#else` after `#else`"
#endif
