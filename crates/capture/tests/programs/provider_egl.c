// The EGL of the implementation in provider_gles.c: has one function.
#include <dlfcn.h>
#include <string.h>

unsigned eglGetError(void) {
    return 0x2000;
}

static unsigned char is_program(unsigned name) {
    return name == 5;
}

// A function that is not in the registry, with arguments of every type, some of them on the stack.
static double unknown(int a, double b, void *c, float d, long e, long f, long g, long h, double i) {
    return a + b + *(int *)c + d + e * 10 + f * 100 + g * 1000 + h * 10000 + i;
}

void *eglGetProcAddress(const char *name) {
    if (!strcmp(name, "glIsProgram"))
        return (void *)is_program;
    if (!strcmp(name, "glUnknownAFI") || !strcmp(name, "glNeverCalledAFI"))
        return (void *)unknown;
    return 0;
}
