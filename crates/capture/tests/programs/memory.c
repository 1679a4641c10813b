// Passes memory to GL in every way: client vertex arrays and indices, strings, pixels with gaps, mapped buffers.
#include "headless.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef unsigned short GLushort;
typedef intptr_t GLintptr, GLsizeiptr;

extern void glEnableClientState(GLenum);
extern void glVertexPointer(GLint, GLenum, GLsizei, const void *);
extern void glTexCoordPointer(GLint, GLenum, GLsizei, const void *);
extern void glClientActiveTexture(GLenum);
extern void glDrawArrays(GLenum, GLint, GLsizei);
extern void glDrawElements(GLenum, GLsizei, GLenum, const void *);
extern void glPushClientAttrib(GLbitfield);
extern void glPopClientAttrib(void);
extern void glBegin(GLenum);
extern void glEnd(void);
extern void glArrayElement(GLint);
extern void glGenBuffers(GLsizei, GLuint *);
extern void glDeleteBuffers(GLsizei, const GLuint *);
extern void glBufferStorage(GLenum, GLsizeiptr, const void *, GLbitfield);
extern void *glMapBuffer(GLenum, GLenum);
extern void *glMapBufferRange(GLenum, GLintptr, GLsizeiptr, GLbitfield);
extern void glFlushMappedBufferRange(GLenum, GLintptr, GLsizeiptr);
extern unsigned char glUnmapBuffer(GLenum);
extern void glGetBufferPointerv(GLenum, GLenum, void **);
extern void glGetBufferSubData(GLenum, GLintptr, GLsizeiptr, void *);
extern void glTexImage2D(GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void *);
extern GLuint glCreateShader(GLenum);
extern void glShaderSource(GLuint, GLsizei, const GLchar *const *, const GLint *);
extern void glFeedbackBuffer(GLsizei, GLenum, GLfloat *);
extern GLint glRenderMode(GLenum);

enum {
    TRIANGLES = 4, FLOAT = 0x1406, USHORT = 0x1403, VERTEX_ARRAY = 0x8074, TEXTURE_COORD_ARRAY = 0x8078,
    ARRAY_BUFFER = 0x8892, ELEMENT_ARRAY_BUFFER = 0x8893, UNPACK_ALIGNMENT = 0x0CF5, UNPACK_ROW_LENGTH = 0x0CF2,
    TEXTURE_2D = 0x0DE1, RGB = 0x1907, WRITE_ONLY = 0x88B9, READ_ONLY = 0x88B8, STATIC_DRAW = 0x88E4,
    MAP_WRITE = 2, MAP_INVALIDATE_RANGE = 4, MAP_FLUSH_EXPLICIT = 16, MAP_PERSISTENT = 64, MAP_COHERENT = 128,
};

static float vertices[4096][2];

static void arrays(void) {
    const GLushort indices[] = {20, 10, 30};
    float texture[8] = {0};
    GLuint elements;
    glEnableClientState(VERTEX_ARRAY);
    glVertexPointer(2, FLOAT, 0, vertices);
    glDrawArrays(TRIANGLES, 0, 3);
    glDrawArrays(TRIANGLES, 3000, 3);
    glDrawElements(TRIANGLES, 3, USHORT, indices);
    glGenBuffers(1, &elements);
    glBindBuffer(ELEMENT_ARRAY_BUFFER, elements);
    glBufferData(ELEMENT_ARRAY_BUFFER, sizeof indices, indices, STATIC_DRAW);
    glDrawElements(TRIANGLES, 2, USHORT, (void *)2);
    glBindBuffer(ELEMENT_ARRAY_BUFFER, 0);
    glPushClientAttrib(3);
    glClientActiveTexture(0x84C1);
    glEnableClientState(TEXTURE_COORD_ARRAY);
    glTexCoordPointer(2, FLOAT, 0, texture);
    glClientActiveTexture(0x84C0);
    glDrawArrays(TRIANGLES, 1, 3);
    glPopClientAttrib();
    glBegin(TRIANGLES);
    for (int i = 0; i < 3; i++)
        glArrayElement(i);
    glEnd();
}

static void strings_and_pixels(void) {
    const char *source[] = {"void ma", "in() {} and more", "// end\n"};
    const GLint lengths[] = {-1, 7, -1};
    const GLubyte pixels[64] = {0};
    glShaderSource(glCreateShader(0x8B31), 3, source, lengths);
    glPixelStorei(UNPACK_ALIGNMENT, 2);
    glPixelStorei(UNPACK_ROW_LENGTH, 5);
    glTexImage2D(TEXTURE_2D, 0, RGB, 3, 3, 0, RGB, GL_UNSIGNED_BYTE, pixels);
    glTexImage2D(TEXTURE_2D, 0, RGB, 3, 3, 0, RGB, GL_UNSIGNED_BYTE, NULL);
}

static void maps(void) {
    static char zeros[100000];
    GLuint names[3];
    char *map;
    glGenBuffers(3, names);
    glBindBuffer(ARRAY_BUFFER, names[0]);
    glBufferData(ARRAY_BUFFER, 1000, zeros, STATIC_DRAW);
    map = glMapBuffer(ARRAY_BUFFER, WRITE_ONLY);
    memset(map + 500, 7, 10);
    glUnmapBuffer(ARRAY_BUFFER);
    map = glMapBuffer(ARRAY_BUFFER, READ_ONLY);
    CHECK(map[500] == 7);
    glUnmapBuffer(ARRAY_BUFFER);
    map = glMapBufferRange(ARRAY_BUFFER, 100, 50, MAP_WRITE | MAP_INVALIDATE_RANGE);
    memset(map, 8, 50);
    glUnmapBuffer(ARRAY_BUFFER);
    map = glMapBufferRange(ARRAY_BUFFER, 0, 1000, MAP_WRITE | MAP_FLUSH_EXPLICIT);
    memset(map + 30, 9, 4);
    glFlushMappedBufferRange(ARRAY_BUFFER, 30, 4);
    glUnmapBuffer(ARRAY_BUFFER);
    // A map that ends with the deletion of its buffer.
    map = glMapBuffer(ARRAY_BUFFER, WRITE_ONLY);
    map[1] = 1;
    glDeleteBuffers(1, names);

    glBindBuffer(ARRAY_BUFFER, names[1]);
    GLbitfield flags = MAP_WRITE | MAP_PERSISTENT | MAP_COHERENT;
    glBufferStorage(ARRAY_BUFFER, sizeof zeros, zeros, flags);
    map = glMapBufferRange(ARRAY_BUFFER, 0, sizeof zeros, flags);
    void *pointer = NULL;
    glGetBufferPointerv(ARRAY_BUFFER, 0x88BD, &pointer);
    CHECK(pointer == map);
    map[70000] = 5;
    int descriptor = open("/proc/self/comm", O_RDONLY);
    CHECK(read(descriptor, map + 20000, 3) == 3);
    close(descriptor);
    glFinish();
    char seen[3];
    glGetBufferSubData(ARRAY_BUFFER, 69999, 3, seen);
    CHECK(seen[0] == 0 && seen[1] == 5 && seen[2] == 0);
    glGetBufferSubData(ARRAY_BUFFER, 20000, 3, seen);
    CHECK(memcmp(seen, "mem", 3) == 0);
    glUnmapBuffer(ARRAY_BUFFER);
    glBindBuffer(ARRAY_BUFFER, 0);
}

static void feedback(void) {
    float values[32];
    glFeedbackBuffer(32, 0x0600, values);
    glRenderMode(0x1C01);
    glDrawArrays(TRIANGLES, 0, 3);
    printf("%d values\n", glRenderMode(0x1C00));
}

int main(void) {
    open_display();
    CHECK(eglMakeCurrent(display, make_pbuffer(16, 16), make_pbuffer(16, 16), make_context(NULL, 0)));
    for (int i = 0; i < 4096; i++)
        vertices[i][0] = i, vertices[i][1] = i % 3;
    arrays();
    strings_and_pixels();
    maps();
    feedback();
    printf("error %x\n", glGetError());
    eglTerminate(display);
    return 0;
}
