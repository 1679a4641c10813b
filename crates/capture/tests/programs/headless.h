// A context without a window on the default EGL display, and declarations for machines without the GL headers.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned char GLubyte;
typedef unsigned int GLenum, GLbitfield, GLuint, EGLBoolean, EGLenum;
typedef int GLint, GLsizei, EGLint;
typedef float GLfloat;
typedef char GLchar;
typedef void *EGLDisplay, *EGLConfig, *EGLContext, *EGLSurface;
typedef void (*GLDEBUGPROC)(GLenum, GLenum, GLuint, GLenum, GLsizei, const GLchar *, const void *);

extern EGLDisplay eglGetDisplay(void *);
extern EGLBoolean eglInitialize(EGLDisplay, EGLint *, EGLint *);
extern EGLBoolean eglBindAPI(EGLenum);
extern EGLBoolean eglChooseConfig(EGLDisplay, const EGLint *, EGLConfig *, EGLint, EGLint *);
extern EGLContext eglCreateContext(EGLDisplay, EGLConfig, EGLContext, const EGLint *);
extern EGLSurface eglCreatePbufferSurface(EGLDisplay, EGLConfig, const EGLint *);
extern EGLBoolean eglMakeCurrent(EGLDisplay, EGLSurface, EGLSurface, EGLContext);
extern EGLBoolean eglSwapBuffers(EGLDisplay, EGLSurface);
extern EGLBoolean eglDestroyContext(EGLDisplay, EGLContext);
extern EGLBoolean eglTerminate(EGLDisplay);
extern EGLint eglGetError(void);
extern void *eglGetProcAddress(const char *);
extern void glClear(GLbitfield);
extern void glClearColor(GLfloat, GLfloat, GLfloat, GLfloat);
extern void glFinish(void);
extern void glEnable(GLenum);
extern void glReadPixels(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *);
extern void glPixelStorei(GLenum, GLint);
extern void glGetIntegerv(GLenum, GLint *);
extern GLenum glGetError(void);
extern const GLubyte *glGetString(GLenum);
extern void glViewport(GLint, GLint, GLsizei, GLsizei);
extern void glScissor(GLint, GLint, GLsizei, GLsizei);
extern void glBindBuffer(GLenum, GLuint);
extern void glBufferData(GLenum, intptr_t, const void *, GLenum);

enum { GL_COLOR_BUFFER_BIT = 0x4000, GL_RGBA = 0x1908, GL_UNSIGNED_BYTE = 0x1401, GL_SCISSOR_TEST = 0x0C11 };

static EGLDisplay display;
static EGLConfig config;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #condition); \
            exit(99); \
        } \
    } while (0)

// Returns a function that the program requires.
static inline void *need(const char *name) {
    void *function = eglGetProcAddress(name);
    CHECK(function);
    return function;
}

// Returns the default display, set up for desktop GL contexts.
static inline void open_display(void) {
    const EGLint wanted[] = {0x3033, 1, 0x3040, 8, 0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8, 0x3025, 24, 0x3038};
    EGLint count = 0;
    display = eglGetDisplay(NULL);
    CHECK(display);
    CHECK(eglInitialize(display, NULL, NULL));
    CHECK(eglChooseConfig(display, wanted, &config, 1, &count) && count == 1);
}

static inline EGLContext make_context(EGLContext share, int debug) {
    const EGLint attributes[] = {0x3098, 3, 0x30FB, 3, 0x30FD, 2, debug ? 0x31B0 : 0x3038, 1, 0x3038};
    CHECK(eglBindAPI(0x30A2)); // For the calling thread only.
    EGLContext context = eglCreateContext(display, config, share, attributes);
    CHECK(context);
    return context;
}

static inline EGLSurface make_pbuffer(int width, int height) {
    const EGLint attributes[] = {0x3057, width, 0x3056, height, 0x3038};
    EGLSurface surface = eglCreatePbufferSurface(display, config, attributes);
    CHECK(surface);
    return surface;
}
