//! Shaders and programs; they share their names.

/// A shader or a program.
#[derive(Clone, Debug)]
pub enum ShaderOrProgram {
    /// A shader.
    Shader(Shader),
    /// A program.
    Program(Program),
}

/// A shader object.
#[derive(Clone, Debug, Default)]
pub struct Shader {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
}

/// A program object.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
}
