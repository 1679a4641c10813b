// Releases a debug context while a multisampled framebuffer is bound, and counts the messages of its debug callback.
#include "headless.h"

static int messages;

static void count(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length, const GLchar *text, const void *user) {
    (void)source, (void)type, (void)id, (void)severity, (void)length, (void)text, (void)user;
    messages++;
}

int main(void) {
    open_display();
    EGLSurface surface = make_pbuffer(8, 4);
    EGLContext context = make_context(NULL, 1);
    CHECK(eglMakeCurrent(display, surface, surface, context));
    void (*callback)(GLDEBUGPROC, const void *) = need("glDebugMessageCallback");
    void (*gen_framebuffers)(GLsizei, GLuint *) = need("glGenFramebuffers");
    void (*bind_framebuffer)(GLenum, GLuint) = need("glBindFramebuffer");
    void (*gen_renderbuffers)(GLsizei, GLuint *) = need("glGenRenderbuffers");
    void (*bind_renderbuffer)(GLenum, GLuint) = need("glBindRenderbuffer");
    void (*storage)(GLenum, GLsizei, GLenum, GLsizei, GLsizei) = need("glRenderbufferStorageMultisample");
    void (*attach)(GLenum, GLenum, GLenum, GLuint) = need("glFramebufferRenderbuffer");
    GLubyte (*is_enabled)(GLenum) = need("glIsEnabled");
    callback(count, NULL);
    glEnable(0x8242); // Messages come during the call that causes them.
    GLuint framebuffer, renderbuffer;
    gen_framebuffers(1, &framebuffer);
    gen_renderbuffers(1, &renderbuffer);
    bind_renderbuffer(0x8D41, renderbuffer);
    storage(0x8D41, 4, 0x8058, 16, 16);
    bind_framebuffer(0x8D40, framebuffer);
    attach(0x8D40, 0x8CE0, 0x8D41, renderbuffer);
    glClear(GL_COLOR_BUFFER_BIT);
    // An error of the program's own, which it fetches later.
    glEnable(0);
    CHECK(eglMakeCurrent(display, NULL, NULL, NULL));
    CHECK(eglMakeCurrent(display, surface, surface, context));
    printf("%d messages, output %d, error %#x\n", messages, is_enabled(0x92E0), glGetError());
    return 0;
}
