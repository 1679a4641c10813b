//! The C types of the registry on 64-bit Linux.

use anyhow::bail;

/// How a value is stored and passed: the variants of `api::Scalar`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scalar {
    Void,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    Pointer,
}

impl Scalar {
    /// Returns the type that stands for all types that the ABI does not distinguish: signed and unsigned integers of 32
    /// and of 64 bits, and pointers. The caller extends narrower integers, so those keep their types.
    pub fn class(self) -> Scalar {
        match self {
            Scalar::I32 => Scalar::U32,
            Scalar::I64 | Scalar::Pointer => Scalar::U64,
            other => other,
        }
    }

    /// Returns the Rust type.
    pub fn rust(self) -> &'static str {
        match self {
            Scalar::Void => "()",
            Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::Pointer => "Ptr",
        }
    }
}

/// Returns the type that a pointer type points to, without `const`.
pub fn pointee(ctype: &str) -> Option<String> {
    let inner = ctype.strip_suffix("const").unwrap_or(ctype).trim_end().strip_suffix('*')?.trim();
    if inner.contains('*') {
        return Some(inner.strip_suffix("const").unwrap_or(inner).trim().to_owned());
    }
    Some(inner.strip_prefix("const ").unwrap_or(inner).to_owned())
}

/// Returns how a C type is stored.
pub fn scalar(ctype: &str) -> anyhow::Result<Scalar> {
    let bare = ctype.strip_prefix("const ").unwrap_or(ctype);
    if ctype.contains('*') {
        return Ok(Scalar::Pointer);
    }
    Ok(match bare {
        "void" => Scalar::Void,
        "GLbyte" | "GLchar" | "GLcharARB" | "char" => Scalar::I8,
        "GLboolean" | "GLubyte" => Scalar::U8,
        "GLshort" => Scalar::I16,
        "GLushort" | "GLhalfNV" | "unsigned short" => Scalar::U16,
        "GLint"
        | "GLsizei"
        | "GLfixed"
        | "GLclampx"
        | "EGLint"
        | "int"
        | "int32_t"
        | "Bool"
        | "Status"
        | "VLPath"
        | "VLNode"
        | "EGLNativeFileDescriptorKHR" => Scalar::I32,
        "GLuint" | "GLenum" | "GLbitfield" | "GLhandleARB" | "EGLBoolean" | "EGLenum" | "unsigned int"
        | "GLXVideoDeviceNV" => Scalar::U32,
        "GLint64" | "GLint64EXT" | "GLintptr" | "GLintptrARB" | "GLsizeiptr" | "GLsizeiptrARB" | "GLvdpauSurfaceNV"
        | "int64_t" | "EGLAttrib" | "EGLAttribKHR" | "EGLnsecsANDROID" => Scalar::I64,
        "GLuint64" | "GLuint64EXT" | "EGLuint64KHR" | "EGLuint64NV" | "EGLTime" | "EGLTimeKHR" | "EGLTimeNV"
        | "unsigned long" => Scalar::U64,
        // X's resource ids are `unsigned long`; so are native windows and pixmaps of EGL on X.
        "GLXDrawable"
        | "GLXPixmap"
        | "GLXWindow"
        | "GLXPbuffer"
        | "GLXPbufferSGIX"
        | "GLXContextID"
        | "Window"
        | "Pixmap"
        | "Font"
        | "Colormap"
        | "GLXVideoCaptureDeviceNV"
        | "GLXVideoSourceSGIX"
        | "EGLNativeWindowType"
        | "EGLNativePixmapType" => Scalar::U64,
        "GLfloat" | "GLclampf" | "float" => Scalar::F32,
        "GLdouble" | "GLclampd" => Scalar::F64,
        pointer if HANDLES.contains(&pointer) => Scalar::Pointer,
        other => bail!("unknown C type `{other}`; add it to workbench/src/codegen/resolve/ctype.rs"),
    })
}

/// Pointer types that are written without a star.
const HANDLES: &[&str] = &[
    "DMbuffer",
    "EGLClientBuffer",
    "EGLConfig",
    "EGLContext",
    "EGLDEBUGPROCKHR",
    "EGLDeviceEXT",
    "EGLDisplay",
    "EGLGetBlobFuncANDROID",
    "EGLImage",
    "EGLImageKHR",
    "EGLLabelKHR",
    "EGLNativeDisplayType",
    "EGLObjectKHR",
    "EGLOutputLayerEXT",
    "EGLOutputPortEXT",
    "EGLSetBlobFuncANDROID",
    "EGLStreamKHR",
    "EGLSurface",
    "EGLSync",
    "EGLSyncKHR",
    "EGLSyncNV",
    "GLDEBUGPROC",
    "GLDEBUGPROCAMD",
    "GLDEBUGPROCARB",
    "GLDEBUGPROCKHR",
    "GLVULKANPROCNV",
    "GLXContext",
    "GLXFBConfig",
    "GLXFBConfigSGIX",
    "GLeglClientBufferEXT",
    "GLeglImageOES",
    "GLsync",
    "VLServer",
    "__GLXextFuncPtr",
    "__eglMustCastToProperFunctionPointerType",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lose_one_star_and_their_const() {
        assert_eq!(pointee("const GLint *").as_deref(), Some("GLint"));
        assert_eq!(pointee("const GLchar * const *").as_deref(), Some("const GLchar *"));
        assert_eq!(pointee("void * *").as_deref(), Some("void *"));
        assert_eq!(pointee("GLsync"), None);
    }
}
