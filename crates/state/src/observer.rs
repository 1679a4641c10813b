//! Observation of calls: what they read and write.

use crate::fault::Fault;
use crate::records::ImageWrite;

/// Receives what a call reads and writes while it is applied. The model itself keeps none of this. All methods have
/// empty defaults.
pub trait CallObserver {
    /// Whether it wants to hear of [`reads`](Self::reads), [`tests`](Self::tests) and [`writes`](Self::writes). If not, calls
    /// that access much are applied faster.
    fn wants_accesses(&self) -> bool {
        true
    }

    /// The call depends on the contents of a thing.
    fn reads(&mut self, _thing: ContentsRef) {}

    /// The call compares its fragments with depth or stencil values.
    fn tests(&mut self, thing: ContentsRef) {
        self.reads(thing);
    }

    /// The call changes the contents of a thing.
    fn writes(&mut self, _thing: ContentsRef, _source: Source) {}

    /// The call creates an image of this size, or drops its contents by giving it new storage. `combined` tells whether
    /// it has both depth and stencil.
    fn image_made(&mut self, _image: ContentsRef, _size: [u32; 2], _combined: bool) {}

    /// The call writes texels of an image: an image of a texture, a renderbuffer or a plane of a surface. Most of these
    /// are also reported by `writes`.
    fn image_written(&mut self, _image: ContentsRef, _write: ImageWrite) {}

    /// GL rejects the call.
    fn refused(&mut self, _fault: Fault) {}

    /// The program fetched an error that differs from the model's.
    fn error_differs(&mut self, _expected: u32, _recorded: u32) {}

    /// The command is not modelled; its effect is missing.
    fn unmodelled(&mut self) {}
}

/// Reborrows an optional observer.
pub fn reborrow<'s>(observer: &'s mut Option<&mut (dyn CallObserver + '_)>) -> Option<&'s mut (dyn CallObserver + 's)> {
    match observer {
        Some(observer) => Some(&mut **observer),
        None => None,
    }
}

/// Something with contents. Objects are identified by a number that is never reused, unlike their names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ContentsRef {
    /// Bytes of a buffer.
    Buffer {
        /// The buffer.
        object: u64,
        /// The first byte.
        from: u64,
        /// One past the last byte.
        to: u64,
    },
    /// One image of a texture.
    Image {
        /// The texture.
        object: u64,
        /// Its level.
        level: u32,
        /// Its face or layer, or the slice of a 3D level.
        layer: u32,
    },
    /// A renderbuffer.
    Renderbuffer {
        /// The renderbuffer.
        object: u64,
    },
    /// A plane of a surface.
    Surface {
        /// The surface.
        surface: u32,
        /// The buffer: `GL_BACK_LEFT`, `GL_FRONT_LEFT`, `GL_DEPTH`, `GL_STENCIL`, `GL_ACCUM` and so on.
        plane: u32,
    },
    /// State of an object other than contents: parameters, attachments, sources, uniforms.
    Object {
        /// The object.
        object: u64,
    },
    /// A client vertex array, in the program's memory.
    ClientArray {
        /// The vertex array object.
        object: u64,
        /// Its slot there.
        slot: u8,
    },
    /// The result of a query object.
    Result {
        /// The query.
        object: u64,
    },
}

/// The source of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Memory of the call, by the index of its parameter.
    Memory {
        /// The parameter.
        param: u8,
        /// Whether all of the thing is replaced.
        whole: bool,
    },
    /// A copy of another thing.
    Copy {
        /// The source.
        of: ContentsRef,
        /// Whether all of the thing is replaced.
        whole: bool,
    },
    /// The output of shaders and fixed functions; earlier contents may stay visible.
    Gpu,
    /// One value everywhere, for example by a clear.
    Fill {
        /// Whether all of the thing is replaced.
        whole: bool,
    },
    /// Undefined contents: new storage, or invalidated.
    Undefined,
}
