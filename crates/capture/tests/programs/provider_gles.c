// A GL implementation that a program ships and that uses the system's, as in browsers.
#include <dlfcn.h>
#include <stddef.h>

static int flushes;

void glFlush(void) {
    flushes++;
    // This lookup must return the system's function, not the hook that the program would get.
    void *system = dlopen("libGL.so.1", RTLD_NOW | RTLD_LOCAL);
    void (*flush)(void) = system ? (void (*)(void))dlsym(system, "glFlush") : NULL;
    if (flush)
        flush();
}

unsigned glGetError(void) {
    return 0x1000 + flushes;
}
