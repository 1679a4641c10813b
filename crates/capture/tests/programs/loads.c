// Links to no GL library: loads EGL itself, hidden from other objects, and looks functions up in every possible way.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #condition, dlerror()); \
            exit(99); \
        } \
    } while (0)

typedef void *(*look_up)(const char *);

int main(void) {
    void *egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    CHECK(egl);
    look_up get = (look_up)dlsym(egl, "eglGetProcAddress");
    CHECK(get);
    void *(*get_display)(void *) = dlsym(egl, "eglGetDisplay");
    unsigned (*initialize)(void *, int *, int *) = dlvsym(egl, "eglInitialize", "NO_SUCH_VERSION");
    CHECK(!initialize);
    initialize = dlsym(egl, "eglInitialize");
    CHECK(get_display && initialize);
    void *display = get_display(NULL);
    CHECK(display && initialize(display, NULL, NULL));
    unsigned (*bind)(unsigned) = dlsym(egl, "eglBindAPI");
    CHECK(bind(0x30A0));
    const int attributes[] = {0x3098, 2, 0x3038};
    void *(*create)(void *, void *, void *, const int *) = dlsym(egl, "eglCreateContext");
    unsigned (*choose)(void *, const int *, void **, int, int *) = dlsym(egl, "eglChooseConfig");
    void *config = NULL;
    int count = 0;
    const int wanted[] = {0x3033, 1, 0x3040, 4, 0x3038};
    CHECK(choose(display, wanted, &config, 1, &count) && count == 1);
    void *context = create(display, config, NULL, attributes);
    CHECK(context);
    unsigned (*make_current)(void *, void *, void *, void *) = dlsym(egl, "eglMakeCurrent");
    CHECK(make_current(display, NULL, NULL, context));
    void *gles = dlopen("libGLESv2.so.2", RTLD_LAZY | RTLD_LOCAL);
    CHECK(gles);
    void (*finish)(void) = dlsym(gles, "glFinish");
    void (*flush)(void) = (void (*)(void))get("glFlush");
    CHECK(finish && flush);
    finish();
    flush();
    // A name that is not in the registry: passed through, whatever the driver returns.
    get("glNoSuchFunctionAFI");
    get("glNoSuchFunctionAFI");
    CHECK(!dlsym(gles, "glNoSuchFunctionAFI"));
    CHECK(dlerror());
    CHECK(!dlopen("libNoSuchLibrary.so", RTLD_NOW));
    printf("%s\n", dlerror());
    return 0;
}
