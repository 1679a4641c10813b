// check: fragment
#version 330
#define K 1
#define K 1
#define K 2                        // error: macro-redefined "`K` is defined differently already"
#undef K
#define K 3
const int k = K;                   // value: k = 3
#define GL_mine 1                  // error: reserved-macro "`GL_mine` cannot be defined: names that begin with `GL_` are reserved"
#define __mine 1                   // warning: reserved-macro "`__mine` is reserved: it contains two underscores in a row"
#undef __LINE__                    // warning: reserved-macro "`__LINE__` is reserved: it contains two underscores in a row"
