//! What a command does to state and objects, and which of its arguments say so.

/// What a command does. [`Role`](crate::Role) is the coarse classification; this is the one that replay, trimming and
/// the state model decide by.
///
/// Numbers in parentheses count *selectors*: the leading arguments that say which piece of state is meant. Two calls of
/// one command with equal selectors set the same thing. `named` is true for commands whose first argument names the
/// object, and false for those that work on the object that is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Not described in `overlay.toml`: it may change and depend on any state.
    Unknown,
    /// Leaves no state behind: it draws, waits, reads back, asks or marks.
    Transient,
    /// Changes only what it names, and depends on no other state of the context: shader sources, linking.
    Standalone,

    /// Sets plain state of the context.
    Set(u8),
    /// Sets plain state of the active texture unit.
    SetForUnit(u8),
    /// Sets plain state from pixels in memory, which are laid out as `glPixelStore` says.
    SetFromPixels(u8),
    /// Sets plain state from values that the current matrices transform.
    SetTransformed(u8),
    /// Sets a current vertex attribute.
    SetCurrent(Attribute, NumberForm),
    /// Sets a material, by face and name.
    SetMaterial,
    /// Sets how pixels are laid out in the program's memory.
    PixelStore,
    /// Selects the active texture unit.
    ActiveTexture,
    /// Selects the texture unit that client arrays of texture coordinates belong to.
    ClientActiveTexture,
    /// Selects the buffers of a framebuffer that are drawn to, or read from.
    ChooseBuffers {
        /// Read from.
        read: bool,
    },
    /// Sets the raster position, transformed or in window coordinates.
    RasterPosition {
        /// In window coordinates.
        window: bool,
    },
    /// Draws a bitmap and moves the raster position.
    Bitmap,
    /// Saves groups of state on a stack.
    PushAttributes {
        /// State of the client rather than of the server.
        client: bool,
    },
    /// Restores groups of state from a stack.
    PopAttributes {
        /// State of the client rather than of the server.
        client: bool,
    },

    /// Selects the matrix stack that matrix commands work on.
    MatrixMode,
    /// Replaces the current matrix.
    LoadMatrix,
    /// Multiplies the current matrix.
    MultiplyMatrix,
    /// Saves the current matrix.
    PushMatrix,
    /// Restores the current matrix.
    PopMatrix,

    /// Creates objects, or reserves their names.
    CreateObjects,
    /// Deletes objects.
    DeleteObjects,
    /// Creates a sync object.
    CreateSync,
    /// Deletes a sync object.
    DeleteSync,

    /// Binds a texture to a target of the active unit.
    BindTexture,
    /// Binds a texture to a unit.
    BindTextureUnit,
    /// Binds a level of a texture to an image unit.
    BindImage,
    /// Sets a parameter of a texture.
    TextureParameter {
        /// See above.
        named: bool,
    },
    /// Sets a parameter of a sampler.
    SamplerParameter,
    /// Gives one level of the bound texture its size, format and contents, from memory.
    TextureLevel,
    /// The same, with contents from a framebuffer.
    CopyTextureLevel,
    /// Gives all levels of a texture their sizes and format.
    TextureStorage {
        /// See above.
        named: bool,
    },
    /// Replaces part of the contents of a texture, from memory.
    TextureSub {
        /// See above.
        named: bool,
    },
    /// Replaces part of the contents of a texture from a framebuffer.
    CopyTextureSub {
        /// See above.
        named: bool,
    },
    /// Computes the lower levels of a texture.
    GenerateMipmap {
        /// See above.
        named: bool,
    },
    /// Makes a buffer the storage of the bound texture.
    TextureBuffer,
    /// Copies texels from image to image.
    CopyImage,

    /// Binds a framebuffer.
    BindFramebuffer,
    /// Attaches an image to a framebuffer, or sets another parameter of it.
    Attach {
        /// See above.
        named: bool,
    },
    /// Binds a renderbuffer.
    BindRenderbuffer,
    /// Gives a renderbuffer its size and format.
    RenderbufferStorage {
        /// See above.
        named: bool,
    },

    /// Binds a buffer to a target.
    BindBuffer,
    /// Binds a buffer, or a range of it, to an indexed target.
    BindBufferIndexed,
    /// Gives a buffer its size and contents.
    BufferStorage {
        /// See above.
        named: bool,
    },
    /// Replaces part of the contents of a buffer, from memory.
    BufferSub {
        /// See above.
        named: bool,
    },
    /// Fills a buffer with a value.
    ClearBufferData {
        /// See above.
        named: bool,
    },
    /// Copies bytes from a buffer, which is the first argument, to another, which is the second.
    CopyBuffer {
        /// See above.
        named: bool,
    },
    /// Maps a buffer.
    Map {
        /// See above.
        named: bool,
    },
    /// Unmaps a buffer.
    Unmap {
        /// See above.
        named: bool,
    },
    /// Makes a range of a mapped buffer visible to GL.
    FlushMapped {
        /// See above.
        named: bool,
    },
    /// Capture's record of bytes that the program wrote through a mapped pointer.
    WriteMapped,

    /// Binds a vertex array object.
    BindVertexArray,
    /// Sets part of the vertex array object that is bound: a generic attribute or a binding point.
    VertexArray(u8),
    /// Sets part of a vertex array object that is named.
    NamedVertexArray(u8),
    /// Sets a client array of fixed functions.
    ClientArray(u8),
    /// The same, of the client's active texture unit.
    ClientArrayOfUnit(u8),

    /// Makes a program current.
    UseProgram,
    /// Sets a uniform of the current program.
    Uniform,
    /// Sets a uniform of a program that is named.
    ProgramUniform,
    /// Asks a program for the location or index of something that it names in words.
    Locate,
    /// Binds an assembly program.
    BindAssemblyProgram,
    /// Sets state of the assembly program that is bound.
    SetAssemblyProgram(u8),

    /// Begins a query.
    BeginQuery,
    /// Ends a query.
    EndQuery,
    /// Begins transform feedback.
    BeginFeedback,
    /// Ends transform feedback.
    EndFeedback,

    /// Begins a display list.
    NewList,
    /// Ends a display list.
    EndList,
    /// Executes a display list.
    CallList,
    /// Executes several display lists.
    CallLists,

    /// Capture's record of a new context.
    CreateContext,
    /// Capture's record of the context and surfaces of a thread.
    MakeCurrent,
}

/// A current vertex attribute.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Attribute {
    /// The position: setting it between `glBegin` and `glEnd` makes a vertex.
    Position,
    /// The colour.
    Color,
    /// The secondary colour.
    SecondaryColor,
    /// The normal.
    Normal,
    /// The fog coordinate.
    FogCoord,
    /// The colour index.
    Index,
    /// Whether an edge is on the boundary of a polygon.
    EdgeFlag,
    /// The texture coordinates of the first unit.
    TexCoord,
    /// The texture coordinates of the unit that the first argument names.
    MultiTexCoord,
    /// The generic attribute whose index is the first argument.
    Generic,
    /// An attribute of `NV_vertex_program`, whose index is the first argument and which aliases one of the others.
    Aliased,
}

/// How the numbers of a call become those of a current attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberForm {
    /// They are converted to floats.
    Plain,
    /// Integers are divided by the largest value of their type.
    Normalized,
    /// 32-bit integers stay integers.
    Integer,
    /// 64-bit integers stay integers.
    Integer64,
    /// Doubles stay doubles.
    Double,
    /// 16-bit floats.
    Half,
    /// One word holds this many numbers; the argument before it gives their format.
    Packed(u8),
}

/// A property of a command.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Trait {
    /// Draws from vertex arrays, unlike immediate mode, display lists and pixel rectangles.
    FromArrays,
    /// Draws with indices.
    Indexed,
    /// Draws instances, whose number it is told.
    Instanced,
    /// Makes several draws.
    Multi,
    /// Takes its numbers from a buffer, or from memory in the layout of one.
    Indirect,
    /// Takes the number of its draws from a buffer.
    CountFromBuffer,
    /// Draws as many vertices as transform feedback captured.
    FromFeedback,
    /// Executes display lists.
    CallsLists,
    /// Evaluates maps.
    Evaluates,

    /// Is allowed between `glBegin` and `glEnd`.
    InPrimitive,
    /// Is executed at once while a display list is compiled, and is no part of the list.
    NotListed,

    /// Writes to the framebuffer that is bound although it is no draw and no clear: blits and `glAccum`.
    ToFramebuffer,
    /// Copies contents of objects to the program's memory.
    ReadsBack,
    /// Changes nothing but the contents of objects and framebuffers.
    ContentsOnly,
    /// Starts a count in GL: samples, time, or vertices of transform feedback.
    StartsCount,
    /// Depends on a count without telling the program.
    UsesCount,

    /// Creates names in a row and returns the first.
    NameRange,
    /// Takes something that means nothing in another process: a file descriptor, a handle of another API, an address of
    /// the GPU.
    Native,
    /// Takes fixed-point numbers, with 16 bits after the point. Set by codegen from the types of parameters.
    FixedPoint,
}

/// A set of traits.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits(u32);

impl Traits {
    /// The set of these traits.
    #[must_use]
    pub const fn of(list: &[Trait]) -> Traits {
        let (mut bits, mut at) = (0, 0);
        while at < list.len() {
            bits |= 1 << list[at] as u32;
            at += 1;
        }
        Traits(bits)
    }

    /// Whether the set has a trait.
    #[must_use]
    pub const fn has(self, one: Trait) -> bool {
        self.0 & 1 << one as u32 != 0
    }
}

impl std::fmt::Debug for Traits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Traits({:#x})", self.0)
    }
}
