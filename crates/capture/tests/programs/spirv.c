// Links a program whose shader is SPIR-V, so that its variables have no names.
#include "headless.h"

enum { GL_VERTEX_SHADER = 0x8B31, GL_SHADER_BINARY_FORMAT_SPIR_V = 0x9551, GL_LINK_STATUS = 0x8B82 };

// A vertex shader that copies the only member of a uniform block, a vec4, to gl_Position.
static const uint32_t module[] = {
    0x7230203, 0x10000, 0x70000, 0x11, 0x0,
    0x20011, 0x1, // OpCapability Shader
    0x3000e, 0x0, 0x1, // OpMemoryModel Logical GLSL450
    0x6000f, 0x0, 0x1, 0x6e69616d, 0x0, 0x2, // OpEntryPoint Vertex %1 "main" %2
    0x40047, 0x2, 0xb, 0x0, // OpDecorate %2 BuiltIn Position
    0x30047, 0x3, 0x2, // OpDecorate %3 Block
    0x50048, 0x3, 0x0, 0x23, 0x0, // OpMemberDecorate %3 0 Offset 0
    0x40047, 0x4, 0x22, 0x0, // OpDecorate %4 DescriptorSet 0
    0x40047, 0x4, 0x21, 0x0, // OpDecorate %4 Binding 0
    0x20013, 0x5, // %5 = OpTypeVoid
    0x30021, 0x6, 0x5, // %6 = OpTypeFunction %5
    0x30016, 0x7, 0x20, // %7 = OpTypeFloat 32
    0x40017, 0x8, 0x7, 0x4, // %8 = OpTypeVector %7 4
    0x3001e, 0x3, 0x8, // %3 = OpTypeStruct %8
    0x40020, 0x9, 0x2, 0x3, // %9 = OpTypePointer Uniform %3
    0x4003b, 0x9, 0x4, 0x2, // %4 = OpVariable %9 Uniform
    0x40020, 0xa, 0x2, 0x8, // %10 = OpTypePointer Uniform %8
    0x40020, 0xb, 0x3, 0x8, // %11 = OpTypePointer Output %8
    0x4003b, 0xb, 0x2, 0x3, // %2 = OpVariable %11 Output
    0x40015, 0xc, 0x20, 0x1, // %12 = OpTypeInt 32 1
    0x4002b, 0xc, 0xd, 0x0, // %13 = OpConstant %12 0
    0x50036, 0x5, 0x1, 0x0, 0x6, // %1 = OpFunction %5 None %6
    0x200f8, 0xe, // %14 = OpLabel
    0x50041, 0xa, 0xf, 0x4, 0xd, // %15 = OpAccessChain %10 %4 %13
    0x4003d, 0x8, 0x10, 0xf, // %16 = OpLoad %8 %15
    0x3003e, 0x2, 0x10, // OpStore %2 %16
    0x100fd, // OpReturn
    0x10038, // OpFunctionEnd
};

int main(void) {
    open_display();
    // A core profile: compatibility profiles of Mesa do not accept SPIR-V.
    const EGLint attributes[] = {0x3098, 4, 0x30FB, 5, 0x30FD, 1, 0x3038};
    CHECK(eglBindAPI(0x30A2));
    EGLContext context = eglCreateContext(display, config, NULL, attributes);
    CHECK(context && eglMakeCurrent(display, NULL, NULL, context));
    GLuint (*create_shader)(GLenum) = need("glCreateShader");
    void (*binary)(GLsizei, const GLuint *, GLenum, const void *, GLsizei) = need("glShaderBinary");
    void (*specialize)(GLuint, const GLchar *, GLuint, const GLuint *, const GLuint *) = need("glSpecializeShaderARB");
    GLuint (*create_program)(void) = need("glCreateProgram");
    void (*attach)(GLuint, GLuint) = need("glAttachShader");
    void (*link_program)(GLuint) = need("glLinkProgram");
    void (*get_program)(GLuint, GLenum, GLint *) = need("glGetProgramiv");
    GLuint shader = create_shader(GL_VERTEX_SHADER), program = create_program();
    binary(1, &shader, GL_SHADER_BINARY_FORMAT_SPIR_V, module, sizeof module);
    specialize(shader, "main", 0, NULL, NULL);
    attach(program, shader);
    link_program(program);
    GLint linked = 0;
    get_program(program, GL_LINK_STATUS, &linked);
    printf("linked %d, error %#x\n", linked, glGetError());
    return 0;
}
