// Uses two GL implementations at the same time: the system's, which it is linked to, and one from its own folder.
#include "headless.h"
#include <dlfcn.h>

extern unsigned char glIsProgram(GLuint);
extern void glFlush(void);

int main(int count, char **arguments) {
    CHECK(count == 3);
    void *gles = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    void *egl = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
    CHECK(gles && egl);
    void (*flush)(void) = dlsym(gles, "glFlush");
    unsigned (*error)(void) = dlsym(gles, "glGetError");
    unsigned (*egl_error)(void) = dlsym(egl, "eglGetError");
    void *(*get)(const char *) = dlsym(egl, "eglGetProcAddress");
    CHECK(flush && error && egl_error && get);
    unsigned char (*is_program)(unsigned) = get("glIsProgram");
    CHECK(is_program && !get("glFlush"));

    open_display();
    EGLContext context = make_context(NULL, 0);
    CHECK(eglMakeCurrent(display, NULL, NULL, context));
    flush();
    flush();
    glFlush();
    printf("%#x %#x\n", error(), glGetError());
    printf("%#x %#x\n", egl_error(), eglGetError());
    printf("%d %d\n", is_program(5), glIsProgram(5));
    double (*unknown)(int, double, void *, float, long, long, long, long, double) = get("glUnknownAFI");
    CHECK(unknown && get("glNeverCalledAFI") && unknown == get("glUnknownAFI"));
    int value = 7;
    for (int i = 0; i < 3; i++)
        printf("%f\n", unknown(1, 0.5, &value, 0.25f, 2, 3, 4, 5, 0.125));
    return 0;
}
