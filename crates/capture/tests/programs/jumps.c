// GL callbacks that call GL, jump out of the call, or end the thread in it.
#include "headless.h"
#include <pthread.h>
#include <setjmp.h>

static __thread jmp_buf back;
static __thread int mode;

static void message(GLenum a, GLenum b, GLuint c, GLenum d, GLsizei e, const GLchar *f, const void *g) {
    if (mode == 1)
        glGetError();
    if (mode == 2)
        longjmp(back, 1);
    if (mode == 3)
        pthread_exit(NULL);
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g;
}

static void listen(void) {
    void (*callback)(GLDEBUGPROC, const void *) = eglGetProcAddress("glDebugMessageCallback");
    CHECK(callback);
    glEnable(0x8242); // GL_DEBUG_OUTPUT_SYNCHRONOUS
    callback(message, NULL);
}

static void *ends_in_a_call(void *unused) {
    EGLContext context = make_context(NULL, 1);
    CHECK(eglMakeCurrent(display, NULL, NULL, context));
    listen();
    mode = 3;
    glEnable(0xDEAD);
    CHECK(0);
    return unused;
}

int main(void) {
    open_display();
    EGLContext context = make_context(NULL, 1);
    CHECK(eglMakeCurrent(display, NULL, NULL, context));
    listen();
    mode = 1;
    glEnable(0xDEAD);
    for (int i = 0; i < 3; i++) {
        if (setjmp(back) == 0) {
            mode = 2;
            glEnable(0xDEAD);
            CHECK(0);
        }
    }
    mode = 0;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, ends_in_a_call, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    glFinish();
    printf("still here\n");
    return 0;
}
