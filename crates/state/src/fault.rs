//! GL errors, as predicted by the model.

use api::constant as c;

/// Why GL rejects a call. A rejected call changes nothing but the context's error (GL 4.6, 2.3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The error that `glGetError` will return.
    pub error: u32,
    /// The reason, as a clause without a full stop: `invalid blend factor`.
    pub why: &'static str,
}

impl Fault {
    /// `GL_INVALID_ENUM`.
    #[must_use]
    pub const fn invalid_enum(why: &'static str) -> Fault {
        Fault { error: c::GL_INVALID_ENUM, why }
    }

    /// `GL_INVALID_VALUE`.
    #[must_use]
    pub const fn invalid_value(why: &'static str) -> Fault {
        Fault { error: c::GL_INVALID_VALUE, why }
    }

    /// `GL_INVALID_OPERATION`.
    #[must_use]
    pub const fn invalid_operation(why: &'static str) -> Fault {
        Fault { error: c::GL_INVALID_OPERATION, why }
    }

    /// `GL_INVALID_FRAMEBUFFER_OPERATION`.
    #[must_use]
    pub const fn invalid_framebuffer(why: &'static str) -> Fault {
        Fault { error: c::GL_INVALID_FRAMEBUFFER_OPERATION, why }
    }

    /// `GL_STACK_OVERFLOW`.
    #[must_use]
    pub const fn stack_overflow(why: &'static str) -> Fault {
        Fault { error: c::GL_STACK_OVERFLOW, why }
    }

    /// `GL_STACK_UNDERFLOW`.
    #[must_use]
    pub const fn stack_underflow(why: &'static str) -> Fault {
        Fault { error: c::GL_STACK_UNDERFLOW, why }
    }
}
