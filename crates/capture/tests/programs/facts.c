// Compiles, links and validates in many ways, with errors pending and in a debug context. Its output must not depend on
// whether capture queries its programs.
#include "headless.h"
#include <string.h>

static GLuint (*create_shader)(GLenum);
static void (*source)(GLuint, GLsizei, const GLchar *const *, const GLint *);
static void (*compile)(GLuint);
static GLuint (*create_program)(void);
static void (*attach)(GLuint, GLuint);
static void (*link_program)(GLuint);
static void (*delete_shader)(GLuint);
static void (*validate)(GLuint);
static void (*get_program)(GLuint, GLenum, GLint *);

static GLuint shader(GLenum kind, const char *text) {
    GLuint shader = create_shader(kind);
    source(shader, 1, &text, NULL);
    compile(shader);
    return shader;
}

static GLuint program(const GLenum *kinds, const char *const *texts, int count) {
    GLuint program = create_program();
    for (int i = 0; i < count; i++) {
        GLuint part = shader(kinds[i], texts[i]);
        attach(program, part);
        delete_shader(part);
    }
    link_program(program);
    return program;
}

static void load(void) {
    create_shader = need("glCreateShader");
    source = need("glShaderSource");
    compile = need("glCompileShader");
    create_program = need("glCreateProgram");
    attach = need("glAttachShader");
    link_program = need("glLinkProgram");
    delete_shader = need("glDeleteShader");
    validate = need("glValidateProgram");
    get_program = need("glGetProgramiv");
}

static const char *VERTEX = "#version 330\nin vec4 place;\nuniform mat4 turn;\nuniform float weights[3] = float[](1.0, 2.0, 4.0);\n"
                            "out vec2 way;\nvoid main() { gl_Position = turn * place * weights[1]; way = place.xy; }\n";
static const char *FRAGMENT = "#version 330\nin vec2 way;\nuniform sampler2D picture;\nuniform Lamp { vec4 shine; float far; } lamp;\n"
                              "uniform bvec2 which = bvec2(true, false);\nuniform int unused_unit = -3;\nout vec4 colour;\n"
                              "void main() { colour = texture(picture, way) * lamp.shine + vec4(which, unused_unit, lamp.far); }\n";
static const char *GEOMETRY = "#version 330\nlayout(triangles) in;\nlayout(line_strip, max_vertices = 5) out;\nin vec2 way[];\n"
                              "out vec2 way2;\nvoid main() { way2 = way[0]; gl_Position = gl_in[0].gl_Position; EmitVertex(); }\n";
static const char *FRAGMENT2 = "#version 330\nin vec2 way2;\nout vec4 colour;\nvoid main() { colour = way2.xyxy; }\n";
static const char *LACKING = "#version 330\nvec4 elsewhere();\nout vec4 colour;\nvoid main() { colour = elsewhere(); }\n";
static const char *COMPUTE = "#version 430\nlayout(local_size_x = 4, local_size_y = 2) in;\nlayout(binding = 3, std430) buffer Bag { uint sum; vec4 rest[]; };\n"
                             "layout(binding = 1) uniform atomic_uint count;\nvoid main() { sum += atomicCounterIncrement(count); rest[1] = vec4(sum); }\n";

static void desktop(void) {
    EGLContext context = make_context(NULL, 1);
    CHECK(eglMakeCurrent(display, NULL, NULL, context));
    load();
    GLuint (*messages)(GLuint, GLsizei, GLenum *, GLenum *, GLuint *, GLenum *, GLsizei *, GLchar *) = need("glGetDebugMessageLog");
    void (*get_binary)(GLuint, GLsizei, GLsizei *, GLenum *, void *) = need("glGetProgramBinary");
    void (*binary)(GLuint, GLenum, const void *, GLsizei) = need("glProgramBinary");
    void (*begin)(GLenum) = need("glBegin");
    void (*end)(void) = need("glEnd");
    void (*new_list)(GLuint, GLenum) = need("glNewList");
    void (*end_list)(void) = need("glEndList");
    GLuint (*create_whole)(GLenum, GLsizei, const GLchar *const *) = need("glCreateShaderProgramv");
    void (*assembly)(GLenum, GLenum, GLsizei, const void *) = need("glProgramStringARB");
    void (*bind_assembly)(GLenum, GLuint) = need("glBindProgramARB");

    const GLenum kinds[] = {0x8B31, 0x8B30, 0x8DD9};
    glEnable(0x1234); // An error that is fetched much later.
    GLuint plain = program(kinds, (const char *const[]){VERTEX, FRAGMENT}, 2);
    glEnable(GL_SCISSOR_TEST);
    glViewport(0, 0, -1, 1); // Another error, hidden by the first one.
    printf("first error %x\n", glGetError());
    printf("no more errors %x\n", glGetError());
    program(kinds, (const char *const[]){VERTEX, FRAGMENT2, GEOMETRY}, 3);
    program(kinds, (const char *const[]){VERTEX, LACKING}, 2); // Does not link.
    shader(0x8B30, "#version 330\nnonsense\n");
    const GLenum work = 0x91B9;
    program(&work, &COMPUTE, 1);
    create_whole(0x8B30, 1, &FRAGMENT2);
    validate(plain);
    link_program(9999);
    printf("no such program %x\n", glGetError());
    link_program(shader(0x8B31, VERTEX));
    printf("a shader %x\n", glGetError());
    begin(4);
    link_program(plain);
    end();
    printf("between begin and end %x\n", glGetError());
    new_list(1, 0x1300);
    link_program(plain);
    end_list();
    printf("in a list %x\n", glGetError());

    GLint length = 0;
    get_program(plain, 0x8741, &length);
    if (length > 0) {
        GLenum format = 0;
        void *bytes = malloc(length);
        get_binary(plain, length, NULL, &format, bytes);
        GLuint copy = create_program();
        binary(copy, format, bytes, length);
        printf("a binary %x\n", glGetError());
        binary(copy, format, bytes, 3);
        printf("part of a binary %x\n", glGetError());
        free(bytes);
    }
    bind_assembly(0x8620, 1);
    const char *moves = "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND";
    assembly(0x8620, 0x8875, strlen(moves), moves);
    printf("assembly %x\n", glGetError());
    assembly(0x8620, 0x8875, 12, "!!ARBvp1.0\nX");
    printf("bad assembly %x\n", glGetError());
    printf("messages:\n");
    char text[4096];
    GLenum kind, from;
    GLuint number;
    while (messages(1, sizeof text, &from, &kind, &number, NULL, NULL, text))
        printf("%x %x %s\n", from, kind, text);
}

static void embedded(void) {
    const EGLint attributes[] = {0x3098, 2, 0x3038};
    CHECK(eglBindAPI(0x30A0));
    EGLContext context = eglCreateContext(display, config, NULL, attributes);
    CHECK(eglMakeCurrent(display, NULL, NULL, context));
    load();
    const GLenum kinds[] = {0x8B31, 0x8B30};
    const char *texts[] = {"attribute vec4 place;\nuniform vec4 move;\nvoid main() { gl_Position = place + move; }\n",
                           "precision mediump float;\nuniform vec3 tint[2];\nvoid main() { gl_FragColor = vec4(tint[0] + tint[1], 1.0); }\n"};
    program(kinds, texts, 2);
    printf("embedded %x\n", glGetError());
}

int main(void) {
    open_display();
    desktop();
    embedded();
    return 0;
}
