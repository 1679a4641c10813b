//! How much memory a command touches behind a pointer, given its arguments and what the context is set to.
//!
//! Pure and total: odd arguments give [`Extent::Nothing`] rather than nonsense, because a program may call GL with
//! anything and gets a GL error for it, in which case GL touches nothing.

pub mod pixels;
pub mod rule;
pub mod values;

use crate::{Access, CommandId, Count, Scalar, command};

/// What extents depend on besides a command's own arguments. Capture answers from its shadow of the state, or by asking
/// the driver.
pub trait Surroundings {
    /// Whether a buffer is bound to this target (`GL_ELEMENT_ARRAY_BUFFER`, `GL_PIXEL_UNPACK_BUFFER`, …), so that a
    /// pointer is an offset into it.
    fn bound(&self, target: u32) -> bool;

    /// How pixels are laid out in the program's memory: for [`Access::Read`] what `GL_UNPACK_…` says, otherwise
    /// `GL_PACK_…`.
    fn pixels(&self, access: Access) -> PixelStore;

    /// The blocks in which the program stores compressed images, if it has said so with
    /// `GL_UNPACK_COMPRESSED_BLOCK_…` or `GL_PACK_COMPRESSED_BLOCK_…`.
    fn blocks(&self, _access: Access) -> Blocks {
        Blocks::default()
    }

    /// The value of a state variable, as `glGetIntegerv` gives it; 0 when there is none.
    fn integer(&self, pname: u32) -> i64;

    /// A property of a level of a texture, as `glGetTexLevelParameteriv` gives it; 0 when there is none.
    fn level(&self, texture: Texture, level: i32, pname: u32) -> i64;

    /// The target that a texture of that name was made for, or 0 when that is not known. Drivers answer
    /// `GL_TEXTURE_TARGET` in some profiles only.
    fn target(&self, _texture: u32) -> u32 {
        0
    }

    /// How many numbers the uniform at a location of a program has; 0 when there is none.
    fn uniform(&self, program: u32, location: i32) -> usize;

    /// The value of another query that has an object or a target and a name of what is asked; 0 when there is none.
    fn query(&self, query: Query, object: u32, pname: u32) -> i64;

    /// How many characters the assembly program of that name has, which is of that target.
    fn program_length(&self, _program: u32, _target: u32) -> usize {
        0
    }

    /// How many counters the atomic counter buffer of that index in a program has.
    fn atomic_counters(&self, _program: u32, _buffer: u32) -> usize {
        0
    }

    /// How many subroutines fit the subroutine uniform of that index in a stage of a program.
    fn subroutines(&self, _program: u32, _stage: u32, _index: u32) -> usize {
        0
    }

    /// The 32-bit integer at an address of the program; 0 when that cannot be read.
    fn memory(&self, address: u64) -> i32;
}

/// Which texture is meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Texture {
    /// The one bound to this target of the active unit.
    Bound(u32),
    /// The one bound to a target of a unit (`GL_TEXTURE0` + n).
    Unit {
        /// The unit.
        unit: u32,
        /// The target.
        target: u32,
    },
    /// The one of this name; the target is 0 where the command has none, otherwise the face of a cube may matter.
    Named {
        /// The name.
        name: u32,
        /// The target.
        target: u32,
    },
}

/// Queries that [`Surroundings::query`] answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// `glGetProgramiv(object, pname)`.
    Program,
    /// `glGetMapiv(object, pname)`; the object is a target such as `GL_MAP1_VERTEX_3`. Of several values, their product.
    Map,
    /// `glGetPixelMap`: how many entries the map `object` has.
    PixelMap,
    /// `glGetActiveUniformBlockiv(program, block, pname)`: the object is the program, the name is the block's index;
    /// answers `GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS`.
    UniformBlock,
    /// The length of the source of the ARB program bound to a target.
    AssemblyProgram,
    /// `glGetColorTableParameteriv`, `glGetConvolutionParameteriv`, `glGetHistogramParameteriv` of a target.
    Imaging,
}

/// How an image is laid out in memory: GL 4.6, 8.4.1 and table 8.1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PixelStore {
    /// Whether a buffer is bound for pixels, so that pointers are offsets into it.
    pub buffer: bool,
    /// Rows begin at multiples of this.
    pub alignment: u32,
    /// Pixels from one row to the next; 0: as many as the image is wide.
    pub row_length: u32,
    /// Rows from one image to the next; 0: as many as the image is high.
    pub image_height: u32,
    /// Pixels left out at the start of each row.
    pub skip_pixels: u32,
    /// Rows left out at the start of each image.
    pub skip_rows: u32,
    /// Images left out at the start.
    pub skip_images: u32,
}

impl PixelStore {
    /// That of a new context.
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

/// Blocks of compressed images, all 0 unless the program said otherwise: GL 4.6, table 8.1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Blocks {
    /// Texels across.
    pub width: u32,
    /// Texels down.
    pub height: u32,
    /// Texels deep.
    pub depth: u32,
    /// Bytes.
    pub size: u32,
}

/// How much memory is behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Nothing: the pointer is null, or an offset into a bound buffer, or the call is an error.
    Nothing,
    /// So many bytes from where it points.
    Bytes(usize),
    /// Text that ends with a zero, which does not belong to the payload.
    Text,
    /// Text of so many bytes.
    TextOf(usize),
    /// An array of pointers to texts. The payload is, for each, its length as a little-endian `u32` and its bytes.
    Texts {
        /// How many.
        count: usize,
        /// The address of an array of `i32` that are their lengths (negative: ends with a zero), or 0: all end with a
        /// zero.
        lengths: u64,
    },
    /// An array of pointers to arrays. The payload is, for each, its size in bytes as a little-endian `u32` and its
    /// bytes.
    Arrays {
        /// How many.
        count: usize,
        /// The address of an array of `i32`: how many elements each has.
        counts: u64,
        /// Bytes of an element.
        element: usize,
    },
    /// Pairs of elements up to and with this attribute.
    Until {
        /// The attribute that ends the list.
        terminator: i64,
        /// Bytes of an element.
        element: usize,
    },
    /// The pointer is kept and followed later.
    Kept,
    /// Nobody knows.
    Unknown,
}

/// Bytes of one value.
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

/// How much memory a call touches behind one of its parameters. A parameter that is no pointer, or an index or arguments
/// that do not fit the command, have [`Extent::Nothing`].
#[must_use]
pub fn extent(id: CommandId, param: usize, args: &[u64], around: &dyn Surroundings) -> Extent {
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
        Count::Rule(rule) => rule::apply(rule, args, memory.access, element, around),
        Count::Kept => Extent::Kept,
        Count::Unknown => Extent::Unknown,
    }
}

/// So many elements of that size.
fn bytes(count: i64, element: usize) -> Extent {
    match usize::try_from(count).ok().and_then(|count| count.checked_mul(element)) {
        Some(bytes) if bytes > 0 => Extent::Bytes(bytes),
        _ => Extent::Nothing,
    }
}
