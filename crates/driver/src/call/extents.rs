//! What the lengths of memory depend on besides a call's arguments: the state of the context.

use std::cell::Cell;

use api::call::{CallMemory, PointerArgument};
use api::extent::{Blocks, ExtentContext, PixelStore, Query, Texture};
use api::{Access, constant as c, id};

use super::{Calls, MARK};

/// More values, characters or subroutines than anything has of which the number is not asked for.
const MANY: i64 = 1 << 16;

/// What a context is: only what it has may be asked for, because an error would be taken for the program's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ContextFacts {
    pub is_desktop: bool,
    pub version: (u32, u32),
    /// Whether it has the fixed functions, and arrays for them.
    pub has_fixed_functions: bool,
}

impl ContextFacts {
    /// Reads what `GL_VERSION` says.
    pub fn parse(text: &str) -> ContextFacts {
        let mut parts = text
            .split(|letter: char| !letter.is_ascii_digit() && letter != '.')
            .find(|part| part.contains('.'))
            .unwrap_or("1.0")
            .split('.')
            .map(|part| part.parse().unwrap_or(0));
        let version = (parts.next().unwrap_or(1), parts.next().unwrap_or(0));
        let is_desktop = !text.starts_with("OpenGL ES");
        ContextFacts { is_desktop, version, has_fixed_functions: version < if is_desktop { (3, 1) } else { (2, 0) } }
    }

    /// Whether it is of a version of OpenGL, or of one of OpenGL ES.
    fn is_at_least(self, desktop: (u32, u32), es: (u32, u32)) -> bool {
        self.version >= if self.is_desktop { desktop } else { es }
    }
}

/// The layouts of pixels in memory that were asked for since something changed: of what is read, and of what is written.
#[derive(Default)]
pub struct PixelCache {
    stores: [Cell<Option<PixelStore>>; 2],
}

impl PixelCache {
    pub fn clear(&mut self) {
        self.stores = Default::default();
    }
}

/// The context that is current, and what pointers of the call at hand point to.
pub struct ContextState<'a> {
    pub calls: &'a Calls,
    pub context: ContextFacts,
    pub pointers: &'a [PointerArgument<'a>],
}

impl ContextState<'_> {
    /// Whether the context is of a version of OpenGL, or of one of OpenGL ES.
    pub fn is_at_least(&self, desktop: (u32, u32), es: (u32, u32)) -> bool {
        self.context.is_at_least(desktop, es)
    }

    /// Returns a number of the context's state, which it must have.
    pub fn number(&self, name: u32) -> i32 {
        self.calls.query(id::glGetIntegerv, &[u64::from(name)])[0]
    }

    /// Returns whether a capability of the context is enabled, which it must have.
    pub fn is_enabled(&self, name: u32) -> bool {
        self.calls.is_enabled(name)
    }

    fn layout(&self, access: Access) -> PixelStore {
        let unpack = access == Access::Read;
        let number = |unpacked: u32, packed: u32| {
            let name = u64::from(if unpack { unpacked } else { packed });
            u32::try_from(self.calls.query(id::glGetIntegerv, &[name])[0]).unwrap_or(0)
        };
        let mut store =
            PixelStore { alignment: number(c::GL_UNPACK_ALIGNMENT, c::GL_PACK_ALIGNMENT), ..PixelStore::INITIAL };
        if self.context.is_at_least((2, 1), (3, 0)) {
            store.buffer = number(c::GL_PIXEL_UNPACK_BUFFER_BINDING, c::GL_PIXEL_PACK_BUFFER_BINDING) != 0;
        }
        if self.context.is_at_least((1, 0), (3, 0)) {
            store.row_length = number(c::GL_UNPACK_ROW_LENGTH, c::GL_PACK_ROW_LENGTH);
            store.skip_pixels = number(c::GL_UNPACK_SKIP_PIXELS, c::GL_PACK_SKIP_PIXELS);
            store.skip_rows = number(c::GL_UNPACK_SKIP_ROWS, c::GL_PACK_SKIP_ROWS);
        }
        // OpenGL ES 3 has these for what is read only (ES 3.2, table 21.17).
        if self.context.is_desktop && self.context.version >= (1, 2)
            || unpack && !self.context.is_desktop && self.context.version >= (3, 0)
        {
            store.image_height = number(c::GL_UNPACK_IMAGE_HEIGHT, c::GL_PACK_IMAGE_HEIGHT);
            store.skip_images = number(c::GL_UNPACK_SKIP_IMAGES, c::GL_PACK_SKIP_IMAGES);
        }
        store
    }
}

impl ExtentContext for ContextState<'_> {
    fn bound(&self, target: u32) -> bool {
        let (binding, desktop, es) = match target {
            c::GL_ELEMENT_ARRAY_BUFFER => (c::GL_ELEMENT_ARRAY_BUFFER_BINDING, (1, 5), (1, 1)),
            c::GL_DRAW_INDIRECT_BUFFER => (c::GL_DRAW_INDIRECT_BUFFER_BINDING, (4, 0), (3, 1)),
            c::GL_QUERY_BUFFER => (c::GL_QUERY_BUFFER_BINDING, (4, 4), (u32::MAX, 0)),
            _ => return false,
        };
        self.context.is_at_least(desktop, es) && self.integer(binding) != 0
    }

    fn pixels(&self, access: Access) -> PixelStore {
        let cell = &self.calls.pixels.stores[usize::from(access == Access::Read)];
        let store = cell.get().unwrap_or_else(|| self.layout(access));
        cell.set(Some(store));
        store
    }

    fn blocks(&self, access: Access) -> Blocks {
        if !self.context.is_desktop || self.context.version < (4, 2) {
            return Blocks::default();
        }
        let number = |unpacked: u32, packed: u32| {
            let name = if access == Access::Read { unpacked } else { packed };
            u32::try_from(self.integer(name)).unwrap_or(0)
        };
        Blocks {
            width: number(c::GL_UNPACK_COMPRESSED_BLOCK_WIDTH, c::GL_PACK_COMPRESSED_BLOCK_WIDTH),
            height: number(c::GL_UNPACK_COMPRESSED_BLOCK_HEIGHT, c::GL_PACK_COMPRESSED_BLOCK_HEIGHT),
            depth: number(c::GL_UNPACK_COMPRESSED_BLOCK_DEPTH, c::GL_PACK_COMPRESSED_BLOCK_DEPTH),
            size: number(c::GL_UNPACK_COMPRESSED_BLOCK_SIZE, c::GL_PACK_COMPRESSED_BLOCK_SIZE),
        }
    }

    fn integer(&self, pname: u32) -> i64 {
        i64::from(self.number(pname))
    }

    fn level(&self, texture: Texture, level: i32, pname: u32) -> i64 {
        // A query that fails would leave an error that the program's own call does not raise. Without such a level, that
        // call accesses nothing.
        let largest = u32::try_from(self.integer(c::GL_MAX_TEXTURE_SIZE)).unwrap_or(0).max(1);
        if u32::try_from(level).map_or(true, |level| level > largest.ilog2()) {
            return 0;
        }
        let (level, pname) = (i64::from(level).cast_unsigned(), u64::from(pname));
        let face = |target: u32| {
            // Faces have sizes, cubes have not.
            u64::from(if target == c::GL_TEXTURE_CUBE_MAP { c::GL_TEXTURE_CUBE_MAP_POSITIVE_X } else { target })
        };
        let [value, ..] = match texture {
            Texture::Bound(target) => self.calls.query(id::glGetTexLevelParameteriv, &[face(target), level, pname]),
            Texture::Named { name, target: 0 } => {
                self.calls.query(id::glGetTextureLevelParameteriv, &[u64::from(name), level, pname])
            }
            Texture::Named { name, target } => {
                let words = [u64::from(name), face(target), level, pname];
                self.calls.query(id::glGetTextureLevelParameterivEXT, &words)
            }
            Texture::Unit { unit, target } => {
                let words = [u64::from(unit), face(target), level, pname];
                self.calls.query(id::glGetMultiTexLevelParameterivEXT, &words)
            }
        };
        i64::from(value)
    }

    /// A cube, which has most images. Commands that need to know have a limit in bytes as well.
    fn target(&self, _: u32) -> u32 {
        c::GL_TEXTURE_CUBE_MAP
    }

    /// The most numbers of a uniform are those of a matrix.
    fn uniform(&self, _: u32, _: i32) -> usize {
        16
    }

    fn query(&self, _: Query, _: u32, _: u32) -> i64 {
        MANY
    }

    fn program_length(&self, _: u32, _: u32) -> usize {
        MANY as usize
    }

    fn atomic_counters(&self, _: u32, _: u32) -> usize {
        MANY as usize
    }

    fn subroutines(&self, _: u32, _: u32, _: u32) -> usize {
        MANY as usize
    }

    /// What is read by the call; of what it is going to write, as much as can be.
    fn memory(&self, address: u64) -> i32 {
        let pointer = self.pointers.iter().find(|pointer| MARK + u64::from(pointer.param) == address);
        match pointer.map(|pointer| &pointer.memory) {
            Some(CallMemory::Input(bytes)) => bytes.first_chunk().map_or(0, |bytes| i32::from_ne_bytes(*bytes)),
            _ => i32::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_drivers_write_them() {
        let desktop = ContextFacts::parse("4.5 (Compatibility Profile) Mesa 22.3.6");
        let known = |is_desktop, version| ContextFacts { is_desktop, version, has_fixed_functions: false };
        assert_eq!(desktop, known(true, (4, 5)));
        assert_eq!(ContextFacts::parse("OpenGL ES 3.2 Mesa"), known(false, (3, 2)));
        let old = ContextFacts::parse("OpenGL ES-CM 1.1 Mesa");
        assert!(old.version == (1, 1) && old.has_fixed_functions);
        assert_eq!(ContextFacts::parse("").version, (1, 0));
        assert!(desktop.is_at_least((4, 5), (9, 9)) && !desktop.is_at_least((4, 6), (1, 0)));
    }
}
