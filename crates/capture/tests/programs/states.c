// Presents with all state set that affects reading pixels, and checks that it is unchanged afterwards.
#include "headless.h"
#include <string.h>

int main(void) {
    open_display();
    EGLContext context = make_context(NULL, 0);
    EGLSurface surface = make_pbuffer(8, 4);
    CHECK(eglMakeCurrent(display, surface, surface, context));
    void (*gen_framebuffers)(GLsizei, GLuint *) = need("glGenFramebuffers");
    void (*bind_framebuffer)(GLenum, GLuint) = need("glBindFramebuffer");
    void (*gen_renderbuffers)(GLsizei, GLuint *) = need("glGenRenderbuffers");
    void (*bind_renderbuffer)(GLenum, GLuint) = need("glBindRenderbuffer");
    void (*storage)(GLenum, GLenum, GLsizei, GLsizei) = need("glRenderbufferStorage");
    void (*attach)(GLenum, GLenum, GLenum, GLuint) = need("glFramebufferRenderbuffer");
    void (*gen_buffers)(GLsizei, GLuint *) = need("glGenBuffers");
    void (*read_buffer)(GLenum) = need("glReadBuffer");
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);

    GLuint framebuffer, renderbuffer, buffer;
    gen_framebuffers(1, &framebuffer);
    gen_renderbuffers(1, &renderbuffer);
    gen_buffers(1, &buffer);
    bind_renderbuffer(0x8D41, renderbuffer);
    storage(0x8D41, 0x8058, 16, 16);
    read_buffer(0); // The default framebuffer's read buffer: none.
    bind_framebuffer(0x8D40, framebuffer);
    attach(0x8D40, 0x8CE0, 0x8D41, renderbuffer);
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBindBuffer(0x88EB, buffer);
    glBufferData(0x88EB, 1024, NULL, 0x88E1);
    const GLenum stores[] = {0x0D00, 0x0D01, 0x0D02, 0x0D03, 0x0D04, 0x0D05};
    const GLint values[] = {1, 1, 20, 2, 3, 8};
    for (int i = 0; i < 6; i++)
        glPixelStorei(stores[i], values[i]);

    CHECK(eglSwapBuffers(display, surface));

    const GLenum names[] = {0x0D00, 0x0D01, 0x0D02, 0x0D03, 0x0D04, 0x0D05, 0x88ED, 0x8CAA, 0x8CA6, 0x0C02};
    for (int i = 0; i < 10; i++) {
        GLint value = -1;
        glGetIntegerv(names[i], &value);
        printf("%#x %d\n", names[i], value);
    }
    bind_framebuffer(0x8D40, 0);
    GLint value = -1;
    glGetIntegerv(0x0C02, &value);
    printf("%d %#x %#x\n", value, glGetError(), eglGetError());
    return 0;
}
