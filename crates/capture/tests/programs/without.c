// Uses no GL library, but finds a GL function in the preloaded library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    unsigned (*get_error)(void) = dlsym(RTLD_DEFAULT, "glGetError");
    float (*length)(unsigned, int, int) = dlsym(RTLD_DEFAULT, "glGetPathLengthNV");
    if (get_error)
        printf("%u %u %f\n", get_error(), get_error(), length(1, 2, 3));
    return 0;
}
