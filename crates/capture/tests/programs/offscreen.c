// Presents nothing: one context is released with a cleared pbuffer, the other at exit with a framebuffer object bound.
#include "headless.h"

int main(void) {
    open_display();
    EGLSurface surface = make_pbuffer(8, 4);
    EGLContext first = make_context(NULL, 0), second = make_context(NULL, 0);
    CHECK(eglMakeCurrent(display, surface, surface, first));
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    CHECK(eglMakeCurrent(display, NULL, NULL, second));
    void (*gen_framebuffers)(GLsizei, GLuint *) = need("glGenFramebuffers");
    void (*bind_framebuffer)(GLenum, GLuint) = need("glBindFramebuffer");
    void (*gen_renderbuffers)(GLsizei, GLuint *) = need("glGenRenderbuffers");
    void (*bind_renderbuffer)(GLenum, GLuint) = need("glBindRenderbuffer");
    void (*storage)(GLenum, GLenum, GLsizei, GLsizei) = need("glRenderbufferStorage");
    void (*attach)(GLenum, GLenum, GLenum, GLuint) = need("glFramebufferRenderbuffer");
    GLuint framebuffer, renderbuffer;
    gen_framebuffers(1, &framebuffer);
    gen_renderbuffers(1, &renderbuffer);
    bind_renderbuffer(0x8D41, renderbuffer);
    storage(0x8D41, 0x8058, 16, 16);
    bind_framebuffer(0x8D40, framebuffer);
    attach(0x8D40, 0x8CE0, 0x8D41, renderbuffer);
    glViewport(0, 0, 16, 16);
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    printf("%#x\n", glGetError());
    return 0;
}
