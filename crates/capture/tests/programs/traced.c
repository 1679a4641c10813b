// Prints state that a tracer changes.
#include "headless.h"
#include <pthread.h>

extern unsigned char glIsEnabled(GLenum);
extern GLuint glCreateProgram(void);
extern void glDepthMask(unsigned char);

static void *other_thread(void *share) {
    EGLContext context = make_context(share, 0);
    EGLSurface surface = make_pbuffer(8, 8);
    CHECK(eglMakeCurrent(display, surface, surface, context));
    for (int i = 0; i < 40000; i++)
        glDepthMask(i & 1);
    CHECK(eglMakeCurrent(display, NULL, NULL, NULL));
    return NULL;
}

int main(void) {
    open_display();
    EGLContext context = make_context(NULL, 0);
    EGLSurface surface = make_pbuffer(32, 16);
    CHECK(eglMakeCurrent(display, surface, surface, context));
    GLubyte pixel[4];
    GLint box[4];
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    printf("pixel %d %d %d %d\n", pixel[0], pixel[1], pixel[2], pixel[3]);
    printf("scissor test %d\n", glIsEnabled(GL_SCISSOR_TEST));
    glScissor(1, 2, 3, 4);
    glGetIntegerv(0x0C10, box);
    printf("scissor box %d %d %d %d\n", box[0], box[1], box[2], box[3]);
    printf("program %u\n", glCreateProgram());
    glGetIntegerv(0x0BA2, box);
    printf("viewport %d %d %d %d\n", box[0], box[1], box[2], box[3]);
    fflush(stdout);

    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, other_thread, context) == 0);
    for (int i = 0; i < 40000; i++)
        glDepthMask(i & 1);
    pthread_join(thread, NULL);
    glFinish();
    printf("error %#x\n", glGetError());
    return 0;
}
