//! How much memory a command accesses through a pointer, given its arguments and the state of the context.
//!
//! Pure and total: invalid arguments give [`Extent::Nothing`], because a program may call GL with anything and gets a
//! GL error for it, in which case GL accesses nothing.

pub mod pixels;
pub mod rule;
pub mod values;

use crate::{Access, CommandId, Count, Scalar, command};

/// The state that extents depend on besides the arguments. Capture answers from its shadow of the state, or queries the
/// driver.
pub trait ExtentContext {
    /// Returns whether a buffer is bound to this target (`GL_ELEMENT_ARRAY_BUFFER`, `GL_PIXEL_UNPACK_BUFFER`, …), so
    /// that a pointer is an offset into it.
    fn bound(&self, target: u32) -> bool;

    /// Returns the layout of pixels in the program's memory: `GL_UNPACK_…` for [`Access::Read`], otherwise `GL_PACK_…`.
    fn pixels(&self, access: Access) -> PixelStore;

    /// Returns the blocks of compressed images in the program's memory: `GL_UNPACK_COMPRESSED_BLOCK_…` or
    /// `GL_PACK_COMPRESSED_BLOCK_…`.
    fn blocks(&self, _access: Access) -> Blocks {
        Blocks::default()
    }

    /// Returns the value of a state variable, as `glGetIntegerv` does; 0 when there is no such variable.
    fn integer(&self, pname: u32) -> i64;

    /// Returns a property of a level of a texture, as `glGetTexLevelParameteriv` does; 0 when there is no such level.
    fn level(&self, texture: Texture, level: i32, pname: u32) -> i64;

    /// Returns the target of a texture, or 0 when it is not known: drivers answer `GL_TEXTURE_TARGET` in some profiles
    /// only.
    fn target(&self, _texture: u32) -> u32 {
        0
    }

    /// Returns the number of components of the uniform at a location of a program; 0 when there is none.
    fn uniform(&self, program: u32, location: i32) -> usize;

    /// Returns the answer to another query of an object or a target; 0 when there is none.
    fn query(&self, query: Query, object: u32, pname: u32) -> i64;

    /// Returns the length of the text of an assembly program.
    fn program_length(&self, _program: u32, _target: u32) -> usize {
        0
    }

    /// Returns the number of counters in an atomic counter buffer of a program.
    fn atomic_counters(&self, _program: u32, _buffer: u32) -> usize {
        0
    }

    /// Returns the number of subroutines that are compatible with a subroutine uniform of a stage of a program.
    fn subroutines(&self, _program: u32, _stage: u32, _index: u32) -> usize {
        0
    }

    /// Returns the 32-bit integer at an address of the program; 0 when it cannot be read.
    fn memory(&self, address: u64) -> i32;
}

/// How a texture is identified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Texture {
    /// By the target of the active unit that it is bound to.
    Bound(u32),
    /// By the unit (`GL_TEXTURE0` + n) and target that it is bound to.
    Unit {
        /// The unit.
        unit: u32,
        /// The target.
        target: u32,
    },
    /// By name. The target is 0 where the command has none; otherwise it may select a face of a cube map.
    Named {
        /// The name.
        name: u32,
        /// The target.
        target: u32,
    },
}

/// Queries that [`ExtentContext::query`] answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// `glGetProgramiv(object, pname)`.
    Program,
    /// `glGetMapiv(object, pname)`, where the object is a target such as `GL_MAP1_VERTEX_3`. The product of several
    /// values.
    Map,
    /// `glGetPixelMap`: the number of entries of the map `object`.
    PixelMap,
    /// `GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS` of `glGetActiveUniformBlockiv`: the object is the program, `pname` the index
    /// of the block.
    UniformBlock,
    /// The length of the text of the assembly program that is bound to a target.
    AssemblyProgram,
    /// `glGetColorTableParameteriv`, `glGetConvolutionParameteriv`, `glGetHistogramParameteriv` of a target.
    Imaging,
}

/// The layout of an image in memory (GL 4.6, 8.4.1 and table 8.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PixelStore {
    /// Whether a buffer is bound for pixels, so that pointers are offsets into it.
    pub buffer: bool,
    /// Rows begin at multiples of this.
    pub alignment: u32,
    /// Pixels from one row to the next; 0 means the width of the image.
    pub row_length: u32,
    /// Rows from one image to the next; 0 means the height of the image.
    pub image_height: u32,
    /// Pixels to skip at the start of each row.
    pub skip_pixels: u32,
    /// Rows to skip at the start of each image.
    pub skip_rows: u32,
    /// Images to skip at the start.
    pub skip_images: u32,
}

impl PixelStore {
    /// The layout in a new context.
    pub const INITIAL: PixelStore = PixelStore {
        buffer: false,
        alignment: 4,
        row_length: 0,
        image_height: 0,
        skip_pixels: 0,
        skip_rows: 0,
        skip_images: 0,
    };
}

impl Default for PixelStore {
    fn default() -> Self {
        Self::INITIAL
    }
}

/// The blocks of compressed images, all 0 unless the program set them (GL 4.6, table 8.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Blocks {
    /// Texels across.
    pub width: u32,
    /// Texels down.
    pub height: u32,
    /// Texels deep.
    pub depth: u32,
    /// Bytes of a block.
    pub size: u32,
}

/// The memory that a call accesses through a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Nothing: the pointer is null, or an offset into a bound buffer, or the call is an error.
    Nothing,
    /// This many bytes, from where it points.
    Bytes(usize),
    /// A zero-terminated string; the zero is not part of the payload.
    Text,
    /// A string of this many bytes.
    TextOf(usize),
    /// An array of pointers to strings. The payload is, for each, its length as a little-endian `u32` and its bytes.
    Texts {
        /// The number of strings.
        count: usize,
        /// The address of an array of `i32`, the lengths of the strings; 0, or a negative length, means
        /// zero-terminated.
        lengths: u64,
    },
    /// An array of pointers to arrays. The payload is, for each, its size in bytes as a little-endian `u32` and its
    /// bytes.
    Arrays {
        /// The number of arrays.
        count: usize,
        /// The address of an array of `i32`: the number of elements of each array.
        counts: u64,
        /// Bytes of an element.
        element: usize,
    },
    /// Pairs of elements, up to and including this attribute.
    Until {
        /// The attribute that ends the list.
        terminator: i64,
        /// Bytes of an element.
        element: usize,
    },
    /// GL keeps the pointer and follows it later.
    Kept,
    /// Not known.
    Unknown,
}

/// Returns the size of a value in bytes.
#[must_use]
pub fn size_of(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Void => 0,
        Scalar::I8 | Scalar::U8 => 1,
        Scalar::I16 | Scalar::U16 => 2,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
        Scalar::I64 | Scalar::U64 | Scalar::F64 | Scalar::Pointer => 8,
    }
}

/// Returns the memory that a call accesses through one of its parameters: [`Extent::Nothing`] when the parameter is not
/// a pointer, and when the index or the arguments do not fit the command.
#[must_use]
pub fn extent(id: CommandId, param: usize, args: &[u64], context: &dyn ExtentContext) -> Extent {
    let params = command(id).params;
    let Some(memory) = params.get(param).and_then(|param| param.memory) else { return Extent::Nothing };
    if args.len() != params.len() || args[param] == 0 && memory.count != Count::Kept {
        return Extent::Nothing;
    }
    let element = size_of(memory.element.scalar);
    let arg = |index: u8| args.get(usize::from(index)).map_or(0, |word| word.cast_signed());
    match memory.count {
        Count::Fixed(count) => bytes(i64::from(count), element),
        Count::Param { index, times } => bytes(arg(index).saturating_mul(i64::from(times)), element),
        Count::Bytes(index) => bytes(arg(index), 1),
        Count::Text => Extent::Text,
        Count::TextOf(index) => usize::try_from(arg(index)).map_or(Extent::Text, Extent::TextOf),
        Count::Texts { count, lengths } => match usize::try_from(arg(count)) {
            Ok(count) if count > 0 => {
                Extent::Texts { count, lengths: lengths.map_or(0, |index| arg(index).cast_unsigned()) }
            }
            _ => Extent::Nothing,
        },
        Count::Until(terminator) => Extent::Until { terminator, element },
        Count::Rule(rule) => rule::apply(rule, args, memory.access, element, context),
        Count::Kept => Extent::Kept,
        Count::Unknown => Extent::Unknown,
    }
}

/// The extent of `count` elements.
fn bytes(count: i64, element: usize) -> Extent {
    match usize::try_from(count).ok().and_then(|count| count.checked_mul(element)) {
        Some(bytes) if bytes > 0 => Extent::Bytes(bytes),
        _ => Extent::Nothing,
    }
}
