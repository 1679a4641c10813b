//! What a command is to somebody who leaves calls out.

use api::{Command, Library, Role};

/// What a command is. `named` tells commands that name their object from those that use what is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// It tells the program something, or draws: nothing of it is left when it is done, except contents.
    Drop,
    /// It is kept, and relies on nothing but its context and what it names.
    Keep,
    /// Nobody has said what it is: it is kept, and may rely on anything.
    Unknown,
    /// It sets something of the context; the first so many parameters say what.
    Set(usize),
    /// The same, and the texture unit that is active says what, too.
    SetOfUnit(usize),
    /// The same, from pixels in memory.
    SetByPixels(usize),
    /// The same, and matrices say what it comes to.
    SetByMatrix(usize),
    PixelStore,
    ActiveTexture,
    ClientActiveTexture,
    BindTexture,
    BindTextureUnit,
    BindImage,
    CopyImage,
    BindBuffer,
    BindBufferIndexed,
    UseProgram,
    BindVertexArray,
    BindFramebuffer,
    BindRenderbuffer,
    BindAssembly,
    /// It sets something of the assembly program that is bound.
    Assembly(usize),
    TextureParameter {
        named: bool,
    },
    SamplerParameter,
    /// One level gets its size, format and contents.
    TextureLevel,
    /// The same, with contents from a framebuffer.
    CopyTextureLevel,
    TextureStorage {
        named: bool,
    },
    TextureSub {
        named: bool,
    },
    CopyTextureSub {
        named: bool,
    },
    GenerateMipmap {
        named: bool,
    },
    TextureBuffer,
    Array(usize),
    ClientArray(usize),
    /// The same, of a vertex array that is named.
    NamedArray(usize),
    /// The same, and the client's texture unit says which.
    ClientArrayOfUnit(usize),
    Uniform,
    ProgramUniform,
    Attach {
        named: bool,
    },
    /// Which buffers are drawn to or read from.
    ChooseBuffers,
    RenderbufferStorage {
        named: bool,
    },
    BufferStorage {
        named: bool,
    },
    BufferSub {
        named: bool,
    },
    /// Bytes go from buffer to buffer, or are filled.
    BufferWork {
        named: bool,
    },
    Map {
        named: bool,
    },
    Unmap {
        named: bool,
    },
    Flush {
        named: bool,
    },
    Memory,
    Location,
    BeginQuery,
    EndQuery,
    NewList,
    EndList,
    CallList,
    CallLists,
    MatrixMode,
    Matrix,
    LoadMatrix,
    PushMatrix,
    PopMatrix,
    RasterPosition,
    MoveRasterPosition,
    PushAttributes,
    PopAttributes,
    Fence,
    DeleteFence,
    BeginFeedback,
    EndFeedback,
    Generate,
    Delete,
    Context,
    Current,
}

/// The name without what says whose extension it is from.
pub fn base_name(name: &str) -> &str {
    const VENDORS: [&str; 10] = ["ARB", "EXT", "OES", "KHR", "NV", "AMD", "ATI", "APPLE", "MESA", "INTEL"];
    VENDORS.iter().find_map(|vendor| name.strip_suffix(vendor)).unwrap_or(name)
}

impl Rule {
    /// The rule for a command.
    pub fn of(command: &Command) -> Rule {
        let base = base_name(command.name);
        match command.library {
            Library::Gl => gl(command, base),
            Library::Capture => match command.name {
                "afiCurrent" => Rule::Current,
                "afiContext" => Rule::Context,
                "afiMemory" => Rule::Memory,
                "afiPresent" | "afiImage" | "afiMapped" => Rule::Drop,
                _ => Rule::Keep,
            },
            // What EGL and GLX did is in capture's own commands, except images and pbuffers that textures are made of.
            Library::Egl | Library::Glx if base.contains("Image") => Rule::Unknown,
            Library::Egl | Library::Glx if base.contains("Attrib") && base.contains("Surface") => Rule::Keep,
            Library::Egl | Library::Glx if base.contains("Pbuffer") => Rule::Keep,
            Library::Egl | Library::Glx => Rule::Drop,
        }
    }
}

fn gl(command: &Command, base: &str) -> Rule {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| base.starts_with(prefix));
    match base {
        "glGetUniformLocation"
        | "glGetAttribLocation"
        | "glGetUniformBlockIndex"
        | "glGetProgramResourceIndex"
        | "glGetProgramResourceLocation"
        | "glGetSubroutineIndex"
        | "glGetSubroutineUniformLocation" => Rule::Location,
        "glFlush"
        | "glFinish"
        | "glBegin"
        | "glEnd"
        | "glClear"
        | "glReadPixels"
        | "glReadnPixels"
        | "glAccum"
        | "glDrawPixels"
        | "glCopyPixels"
        | "glBlitFramebuffer"
        | "glBlitNamedFramebuffer"
        | "glArrayElement"
        | "glMemoryBarrier"
        | "glMemoryBarrierByRegion"
        | "glTextureBarrier"
        | "glClientWaitSync"
        | "glWaitSync"
        | "glDebugMessageInsert"
        | "glInsertEventMarker"
        | "glPushGroupMarker"
        | "glPopGroupMarker"
        | "glStringMarkerGREMEDY"
        | "glFrameTerminatorGREMEDY"
        | "glPushDebugGroup"
        | "glPopDebugGroup"
        | "glBlendBarrier"
        | "glValidateProgram"
        | "glBeginConditionalRender"
        | "glEndConditionalRender" => Rule::Drop,
        "glActiveTexture" => Rule::ActiveTexture,
        "glClientActiveTexture" => Rule::ClientActiveTexture,
        "glBindTexture" => Rule::BindTexture,
        "glBindTextureUnit" => Rule::BindTextureUnit,
        "glBindImageTexture" => Rule::BindImage,
        "glCopyImageSubData" => Rule::CopyImage,
        // With all arguments as selectors the last of several equal calls is kept, so that each object comes into being.
        "glBindTransformFeedback" | "glUseProgramStages" => Rule::Set(2),
        "glBindProgramPipeline" | "glActiveShaderProgram" => Rule::Set(1),
        "glBindBuffer" => Rule::BindBuffer,
        "glBindBufferBase" | "glBindBufferRange" | "glBindBufferOffset" => Rule::BindBufferIndexed,
        "glUseProgram" | "glUseProgramObject" => Rule::UseProgram,
        "glBindVertexArray" => Rule::BindVertexArray,
        "glBindFramebuffer" => Rule::BindFramebuffer,
        "glBindRenderbuffer" => Rule::BindRenderbuffer,
        "glBindProgram" => Rule::BindAssembly,
        "glBindSampler" | "glEnablei" | "glDisablei" | "glObjectLabel" | "glObjectPtrLabel" => Rule::Set(2),
        "glEnable" | "glDisable" => Rule::SetOfUnit(1),
        "glBindVertexBuffer"
        | "glVertexAttribFormat"
        | "glVertexAttribIFormat"
        | "glVertexAttribLFormat"
        | "glVertexAttribBinding"
        | "glVertexBindingDivisor"
        | "glVertexAttribDivisor"
        | "glEnableVertexAttribArray"
        | "glDisableVertexAttribArray"
        | "glVertexAttribPointer"
        | "glVertexAttribIPointer"
        | "glVertexAttribLPointer" => Rule::Array(1),
        "glVertexPointer"
        | "glNormalPointer"
        | "glColorPointer"
        | "glIndexPointer"
        | "glEdgeFlagPointer"
        | "glFogCoordPointer"
        | "glSecondaryColorPointer" => Rule::ClientArray(0),
        "glTexCoordPointer" => Rule::ClientArrayOfUnit(0),
        "glEnableClientState" | "glDisableClientState" => Rule::ClientArrayOfUnit(1),
        "glDrawBuffer" | "glDrawBuffers" | "glReadBuffer" => Rule::ChooseBuffers,
        "glRenderbufferStorage" | "glRenderbufferStorageMultisample" => Rule::RenderbufferStorage { named: false },
        "glNamedRenderbufferStorage" | "glNamedRenderbufferStorageMultisample" => {
            Rule::RenderbufferStorage { named: true }
        }
        "glBufferData" | "glBufferStorage" => Rule::BufferStorage { named: false },
        "glNamedBufferData" | "glNamedBufferStorage" => Rule::BufferStorage { named: true },
        "glBufferSubData" => Rule::BufferSub { named: false },
        "glNamedBufferSubData" => Rule::BufferSub { named: true },
        "glClearBufferData" | "glClearBufferSubData" | "glCopyBufferSubData" => Rule::BufferWork { named: false },
        "glClearNamedBufferData" | "glClearNamedBufferSubData" | "glCopyNamedBufferSubData" => {
            Rule::BufferWork { named: true }
        }
        "glMapBuffer" | "glMapBufferRange" => Rule::Map { named: false },
        "glMapNamedBuffer" | "glMapNamedBufferRange" => Rule::Map { named: true },
        "glUnmapBuffer" => Rule::Unmap { named: false },
        "glUnmapNamedBuffer" => Rule::Unmap { named: true },
        "glFlushMappedBufferRange" => Rule::Flush { named: false },
        "glFlushMappedNamedBufferRange" => Rule::Flush { named: true },
        "glBeginQuery" => Rule::BeginQuery,
        "glEndQuery" => Rule::EndQuery,
        "glQueryCounter" => Rule::Set(2),
        "glNewList" => Rule::NewList,
        "glEndList" => Rule::EndList,
        "glCallList" => Rule::CallList,
        "glCallLists" => Rule::CallLists,
        "glMatrixMode" => Rule::MatrixMode,
        "glLoadIdentity"
        | "glLoadMatrixf"
        | "glLoadMatrixd"
        | "glLoadMatrixx"
        | "glLoadTransposeMatrixf"
        | "glLoadTransposeMatrixd" => Rule::LoadMatrix,
        "glMultMatrixf"
        | "glMultMatrixd"
        | "glMultMatrixx"
        | "glMultTransposeMatrixf"
        | "glMultTransposeMatrixd"
        | "glRotatef"
        | "glRotated"
        | "glRotatex"
        | "glTranslatef"
        | "glTranslated"
        | "glTranslatex"
        | "glScalef"
        | "glScaled"
        | "glScalex"
        | "glFrustum"
        | "glFrustumf"
        | "glFrustumx"
        | "glOrtho"
        | "glOrthof"
        | "glOrthox" => Rule::Matrix,
        "glPushMatrix" => Rule::PushMatrix,
        "glPopMatrix" => Rule::PopMatrix,
        "glBitmap" => Rule::MoveRasterPosition,
        "glPushAttrib" | "glPushClientAttrib" => Rule::PushAttributes,
        "glPopAttrib" | "glPopClientAttrib" => Rule::PopAttributes,
        "glFenceSync" => Rule::Fence,
        "glBeginTransformFeedback" => Rule::BeginFeedback,
        "glEndTransformFeedback" => Rule::EndFeedback,
        "glPauseTransformFeedback" | "glResumeTransformFeedback" => Rule::Drop,
        "glListBase" => Rule::Set(0),
        "glPolygonStipple" => Rule::SetByPixels(0),
        "glInterleavedArrays" => Rule::ClientArrayOfUnit(0),
        "glDeleteSync" => Rule::DeleteFence,
        "glTexBuffer" | "glTexBufferRange" => Rule::TextureBuffer,
        "glGenerateMipmap" => Rule::GenerateMipmap { named: false },
        "glGenerateTextureMipmap" => Rule::GenerateMipmap { named: true },
        "glTexImage2DMultisample" | "glTexImage3DMultisample" => Rule::TextureLevel,
        "glPixelTransferf" | "glPixelTransferi" => Rule::Set(1),
        "glViewportArrayv" | "glScissorArrayv" | "glDepthRangeArrayv" => Rule::Set(2),
        "glClipPlane" | "glClipPlanef" | "glClipPlanex" => Rule::SetByMatrix(1),
        "glLightModelf" | "glLightModeli" | "glLightModelfv" | "glLightModeliv" | "glLightModelx"
        | "glLightModelxv" => Rule::Set(1),
        "glProgramParameteri" | "glProgramBinary" => Rule::Keep,
        _ if starts(&["glRasterPos", "glWindowPos"]) => Rule::RasterPosition,
        _ if command.role == Role::Query => Rule::Drop,
        _ if starts(&[
            "glDrawArrays",
            "glDrawElements",
            "glDrawRangeElements",
            "glDrawTransformFeedback",
            "glMultiDraw",
        ]) || starts(&[
            "glVertex2",
            "glVertex3",
            "glVertex4",
            "glRect",
            "glEval",
            "glDispatchCompute",
            "glInvalidate",
        ]) || starts(&["glDiscardFramebuffer", "glDrawTex"])
            || (starts(&["glClearBuffer", "glClearNamedFramebuffer"]) && command.role == Role::Clear) =>
        {
            Rule::Drop
        }
        _ => families(base),
    }
}

/// Commands that are told by how their names begin.
fn families(base: &str) -> Rule {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| base.starts_with(prefix));
    if starts(&["glPixelStore"]) {
        Rule::PixelStore
    } else if starts(&["glVertexArrayElementBuffer"]) {
        Rule::NamedArray(1)
    } else if starts(&["glVertexArrayVertexBuffers"]) {
        Rule::Keep
    } else if starts(&["glVertexArray", "glEnableVertexArray", "glDisableVertexArray"]) {
        Rule::NamedArray(2)
    } else if starts(&["glTexParameter"]) {
        Rule::TextureParameter { named: false }
    } else if starts(&["glTextureParameter"]) {
        Rule::TextureParameter { named: true }
    } else if starts(&["glSamplerParameter"]) {
        Rule::SamplerParameter
    } else if starts(&["glTexImage", "glCompressedTexImage"]) {
        Rule::TextureLevel
    } else if starts(&["glCopyTexImage"]) {
        Rule::CopyTextureLevel
    } else if starts(&["glTexStorage"]) {
        Rule::TextureStorage { named: false }
    } else if starts(&["glTextureStorage"]) {
        Rule::TextureStorage { named: true }
    } else if starts(&["glTexSubImage", "glCompressedTexSubImage"]) {
        Rule::TextureSub { named: false }
    } else if starts(&["glTextureSubImage", "glCompressedTextureSubImage", "glClearTexImage", "glClearTexSubImage"]) {
        Rule::TextureSub { named: true }
    } else if starts(&["glCopyTexSubImage"]) {
        Rule::CopyTextureSub { named: false }
    } else if starts(&["glCopyTextureSubImage"]) {
        Rule::CopyTextureSub { named: true }
    } else if starts(&["glTexEnv", "glTexGen"]) {
        if base.starts_with("glTexGen") { Rule::SetByMatrix(2) } else { Rule::SetOfUnit(2) }
    } else if starts(&["glProgramUniform"]) {
        Rule::ProgramUniform
    } else if starts(&["glUniformBlockBinding", "glShaderStorageBlockBinding"]) {
        Rule::Keep
    } else if starts(&["glUniformSubroutines"]) {
        Rule::Unknown
    } else if starts(&["glUniform"]) {
        Rule::Uniform
    } else if starts(&["glFramebufferTexture", "glFramebufferRenderbuffer"]) {
        Rule::Attach { named: false }
    } else if starts(&["glNamedFramebuffer"]) {
        Rule::Attach { named: true }
    } else if starts(&["glProgramEnvParameter"]) {
        Rule::Set(2)
    } else if starts(&["glProgramLocalParameter"]) {
        Rule::Assembly(2)
    } else if starts(&["glGen", "glCreate"]) && base != "glGenerateMipmap" {
        Rule::Generate
    } else if starts(&["glDelete"]) {
        Rule::Delete
    } else if starts(&[
        "glShaderSource",
        "glCompileShader",
        "glAttach",
        "glDetach",
        "glLinkProgram",
        "glBindAttribLocation",
    ]) || starts(&[
        "glBindFragDataLocation",
        "glTransformFeedbackVaryings",
        "glDebugMessage",
        "glShaderBinary",
    ]) || starts(&["glVertexArray", "glEnableVertexArray", "glDisableVertexArray", "glReleaseShaderCompiler"])
    {
        Rule::Keep
    } else {
        plain(base)
    }
}

/// State of a context, by the number of parameters that say which of it.
fn plain(base: &str) -> Rule {
    const LIGHTS: [&str; 3] = ["glLight", "glMaterial", "glColorTableParameter"];
    const ONE: [&str; 21] = [
        "glStencilFuncSeparate",
        "glStencilMaskSeparate",
        "glStencilOpSeparate",
        "glBlendFunci",
        "glBlendFuncSeparatei",
        "glBlendEquationi",
        "glBlendEquationSeparatei",
        "glColorMaski",
        "glViewportIndexed",
        "glScissorIndexed",
        "glDepthRangeIndexed",
        "glClampColor",
        "glPatchParameter",
        "glSampleMaski",
        "glPixelMap",
        "glPointParameter",
        "glFog",
        "glHint",
        "glMultiTexCoord",
        "glVertexAttrib",
        "glPolygonMode",
    ];
    const NONE: [&str; 37] = [
        "glBlendFunc",
        "glBlendEquation",
        "glBlendColor",
        "glClearColor",
        "glClearDepth",
        "glClearStencil",
        "glClearAccum",
        "glClearIndex",
        "glIndexMask",
        "glDepthFunc",
        "glDepthMask",
        "glDepthRange",
        "glStencilFunc",
        "glStencilMask",
        "glStencilOp",
        "glScissor",
        "glViewport",
        "glColorMask",
        "glSampleCoverage",
        "glMinSampleShading",
        "glPrimitiveRestartIndex",
        "glPointSize",
        "glLineWidth",
        "glLineStipple",
        "glPolygonOffset",
        "glFrontFace",
        "glCullFace",
        "glLogicOp",
        "glAlphaFunc",
        "glShadeModel",
        "glProvokingVertex",
        "glPixelZoom",
        "glColorMaterial",
        "glSampleMask",
        "glActiveStencilFace",
        "glClipControl",
        "glPrimitiveBoundingBox",
    ];
    const CURRENT: [&str; 8] =
        ["glColor3", "glColor4", "glNormal3", "glTexCoord", "glSecondaryColor3", "glFogCoord", "glIndex", "glEdgeFlag"];
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| base.starts_with(prefix));
    if starts(&["glMap1", "glMap2", "glMapGrid1", "glMapGrid2"]) {
        return Rule::Set(usize::from(!base.starts_with("glMapGrid")));
    }
    if starts(&LIGHTS) {
        return if base.starts_with("glLight") { Rule::SetByMatrix(2) } else { Rule::Set(2) };
    }
    // `glFogCoord` begins like `glFog`.
    if starts(&CURRENT) && base != "glIndexMask" {
        return Rule::Set(0);
    }
    match () {
        () if starts(&ONE) => Rule::Set(1),
        () if starts(&NONE) => Rule::Set(0),
        () => Rule::Unknown,
    }
}
