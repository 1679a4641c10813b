//! What a call reads and writes, for whoever wants to know.

use crate::fault::Fault;
use crate::records::ImageWrite;

/// Told, while a call is applied, what it touches. The model itself keeps none of this. Who does not care about
/// something leaves the method out.
pub trait Notes {
    /// The call depends on what a thing holds.
    fn reads(&mut self, _thing: Thing) {}

    /// The call changes what a thing holds.
    fn writes(&mut self, _thing: Thing, _source: Source) {}

    /// The call makes an image of this size, or takes away what one held by giving it storage anew. `combined` says
    /// whether it has both depth and stencil.
    fn image_made(&mut self, _image: Thing, _size: [u32; 2], _combined: bool) {}

    /// The call writes texels of an image, an image of a texture, a renderbuffer or a plane of a surface. Most of these
    /// are told as writes, too.
    fn image_written(&mut self, _image: Thing, _write: ImageWrite) {}

    /// GL refuses the call.
    fn refused(&mut self, _fault: Fault) {}

    /// The program asked for its error and was told another than the model expected.
    fn error_differs(&mut self, _expected: u32, _recorded: u32) {}

    /// The model does not know this command; what it does is missing.
    fn unmodelled(&mut self) {}
}

/// Lends whoever wants to know to somebody else for a while.
pub fn lend<'s>(notes: &'s mut Option<&mut (dyn Notes + '_)>) -> Option<&'s mut (dyn Notes + 's)> {
    match notes {
        Some(notes) => Some(&mut **notes),
        None => None,
    }
}

/// Something that holds contents. Objects are known by a number that is never given twice, unlike their names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Thing {
    /// Bytes of a buffer.
    Buffer {
        /// Which.
        object: u64,
        /// The first byte.
        from: u64,
        /// The first byte behind them.
        to: u64,
    },
    /// One image of a texture.
    Image {
        /// Which texture.
        object: u64,
        /// Its level.
        level: u32,
        /// Its face or layer, or the slice of a 3D level.
        layer: u32,
    },
    /// A renderbuffer.
    Renderbuffer {
        /// Which.
        object: u64,
    },
    /// A plane of a surface.
    Surface {
        /// Which.
        surface: u32,
        /// Which buffer of it: `GL_BACK_LEFT`, `GL_FRONT_LEFT`, `GL_DEPTH`, `GL_STENCIL`, `GL_ACCUM` and so on.
        plane: u32,
    },
    /// The state of an object that is no contents: parameters, attachments, sources, uniforms.
    Object {
        /// Which.
        object: u64,
    },
    /// An array of vertices in the program's memory.
    ClientArray {
        /// Which vertex array it belongs to.
        object: u64,
        /// Its place there.
        slot: u8,
    },
    /// The result of a query object.
    Result {
        /// Which.
        object: u64,
    },
}

/// Where what is written comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Memory of the call, by the index of its parameter.
    Memory {
        /// Which parameter.
        param: u8,
        /// Whether all of the thing is replaced.
        whole: bool,
    },
    /// A copy of another thing.
    Copy {
        /// Of which.
        of: Thing,
        /// Whether all of the thing is replaced.
        whole: bool,
    },
    /// The work of shaders and fixed functions; what was there before may shine through.
    Gpu,
    /// One value everywhere, such as by a clear.
    Fill {
        /// Whether all of the thing is replaced.
        whole: bool,
    },
    /// Nothing is known of what it holds now: it is new, or was invalidated.
    Undefined,
}
