// A GL implementation that a program brings along, and that uses the system's: what a browser has.
#include <dlfcn.h>
#include <stddef.h>

static int flushes;

void glFlush(void) {
    flushes++;
    // What this looks up is its own business, and must be the system's function, not the program's view of it.
    void *system = dlopen("libGL.so.1", RTLD_NOW | RTLD_LOCAL);
    void (*flush)(void) = system ? (void (*)(void))dlsym(system, "glFlush") : NULL;
    if (flush)
        flush();
}

unsigned glGetError(void) {
    return 0x1000 + flushes;
}
