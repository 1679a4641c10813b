// The EGL of the implementation in provider_gles.c: knows one function.
#include <dlfcn.h>
#include <string.h>

unsigned eglGetError(void) {
    return 0x2000;
}

static unsigned char is_program(unsigned name) {
    return name == 5;
}

void *eglGetProcAddress(const char *name) {
    if (!strcmp(name, "glIsProgram"))
        return (void *)is_program;
    return 0;
}
