// Draws three frames to a pbuffer and reads them back.
#include "headless.h"

int main(void) {
    open_display();
    EGLContext context = make_context(NULL, 0);
    EGLSurface surface = make_pbuffer(32, 16);
    CHECK(eglMakeCurrent(display, surface, surface, context));
    // A pending error must still be there when the program fetches it, and the pixel store must be unchanged.
    glEnable(0xDEAD);
    glPixelStorei(0x0D02, 40);
    for (int frame = 1; frame <= 3; frame++) {
        GLubyte pixel[4];
        glClearColor(frame / 255.0f, 0.5f, 1.0f, 1.0f);
        glClear(GL_COLOR_BUFFER_BIT);
        glReadPixels(3, 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        printf("%d %d %d %d\n", pixel[0], pixel[1], pixel[2], pixel[3]);
        CHECK(eglSwapBuffers(display, surface));
    }
    // The same for an EGL error, whatever GL calls come in between.
    CHECK(!eglSwapBuffers(display, (EGLSurface)8));
    glViewport(0, 0, 5, 6);
    EGLint error = eglGetError();
    GLint row_length = 0;
    glGetIntegerv(0x0D02, &row_length);
    GLenum first = glGetError();
    GLenum second = glGetError();
    printf("%d %#x %#x %#x %#x\n", row_length, first, second, error, eglGetError());
    CHECK(eglMakeCurrent(display, NULL, NULL, NULL));
    CHECK(eglDestroyContext(display, context));
    CHECK(eglTerminate(display));
    return 7;
}
