//! A driver, called directly.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_void};

use api::constant::*;
use api::extent::{ExtentContext, PixelStore, Query, Texture};
use api::{Access, CommandId, id};
use driver::{Api, Context};

/// More bytes than any query here writes.
pub const ROOM: usize = 1 << 14;

/// A current context.
pub struct Gl {
    get_proc_address: unsafe extern "C" fn(*const c_char) -> *const c_void,
    /// The target of the texture that is queried by name.
    pub target: Cell<u32>,
    _context: Context,
}

impl Gl {
    /// Creates a context.
    pub fn new(api: Api) -> Gl {
        let context = testing::driver::context(api);
        // SAFETY: the context has already loaded EGL, so loading it again runs no code.
        let library = unsafe { libloading::Library::new("libEGL.so.1") }.expect("EGL");
        let library: &'static libloading::Library = Box::leak(Box::new(library));
        // SAFETY: EGL declares the function with this signature.
        let symbol = unsafe { library.get(b"eglGetProcAddress\0") };
        Gl { get_proc_address: *symbol.expect("eglGetProcAddress"), target: Cell::new(0), _context: context }
    }

    /// Calls a command, if the driver has it.
    pub fn call(&self, command: CommandId, args: &[u64]) -> Option<u64> {
        let name = CString::new(api::command(command).name).expect("command names have no NUL bytes");
        // SAFETY: the name is a C string.
        let function = unsafe { (self.get_proc_address)(name.as_ptr()) };
        if function.is_null() {
            return None;
        }
        // SAFETY: the function implements the command, and pointers among the arguments point to enough memory.
        Some(unsafe { driver::invoke(function, command, args) })
    }

    /// Returns and clears the last error.
    pub fn error(&self) -> u32 {
        self.call(id::glGetError, &[]).map_or(0, |error| error as u32)
    }

    /// Creates an object and returns its name.
    pub fn make(&self, command: CommandId) -> u64 {
        let mut name = 0u32;
        self.call(command, &[1, &raw mut name as u64]);
        u64::from(name)
    }

    /// Returns the end of what a query writes, in bytes; `None` if it is an error. The last argument is the memory.
    pub fn written(&self, query: CommandId, args: &[u64]) -> Option<usize> {
        let mut end = 0;
        for canary in [0xa5u8, 0x5a] {
            let mut memory = vec![canary; ROOM];
            let mut args = args.to_vec();
            args.push(memory.as_mut_ptr() as u64);
            self.call(query, &args)?;
            if self.error() != 0 {
                return None;
            }
            end = end.max(memory.iter().rposition(|byte| *byte != canary).map_or(0, |last| last + 1));
        }
        Some(end)
    }

    /// Returns up to four integers that a query writes.
    fn integers(&self, query: CommandId, args: &[u64]) -> [i32; 4] {
        let mut values = [0i32; 4];
        self.call(query, &[args, &[values.as_mut_ptr() as u64]].concat());
        self.error();
        values
    }
}

impl ExtentContext for Gl {
    fn bound(&self, _: u32) -> bool {
        false
    }

    fn pixels(&self, access: Access) -> PixelStore {
        let of = |unpack, pack| {
            let name = if access == Access::Read { unpack } else { pack };
            u32::try_from(self.integer(name)).expect("pixel store values are not negative")
        };
        PixelStore {
            buffer: false,
            alignment: of(GL_UNPACK_ALIGNMENT, GL_PACK_ALIGNMENT),
            row_length: of(GL_UNPACK_ROW_LENGTH, GL_PACK_ROW_LENGTH),
            image_height: of(GL_UNPACK_IMAGE_HEIGHT, GL_PACK_IMAGE_HEIGHT),
            skip_pixels: of(GL_UNPACK_SKIP_PIXELS, GL_PACK_SKIP_PIXELS),
            skip_rows: of(GL_UNPACK_SKIP_ROWS, GL_PACK_SKIP_ROWS),
            skip_images: of(GL_UNPACK_SKIP_IMAGES, GL_PACK_SKIP_IMAGES),
        }
    }

    fn integer(&self, pname: u32) -> i64 {
        // Lists are not queried, only their lengths.
        i64::from(self.integers(id::glGetIntegerv, &[u64::from(pname)])[0])
    }

    fn level(&self, texture: Texture, level: i32, pname: u32) -> i64 {
        let level = u64::try_from(level).expect("levels are not negative");
        let values = match texture {
            Texture::Bound(target) => {
                // Faces have sizes, cubes do not.
                let face = if target == GL_TEXTURE_CUBE_MAP { GL_TEXTURE_CUBE_MAP_POSITIVE_X } else { target };
                self.integers(id::glGetTexLevelParameteriv, &[u64::from(face), level, u64::from(pname)])
            }
            Texture::Named { name, .. } => {
                self.integers(id::glGetTextureLevelParameteriv, &[u64::from(name), level, u64::from(pname)])
            }
            Texture::Unit { .. } => [0; 4],
        };
        i64::from(values[0])
    }

    fn target(&self, _: u32) -> u32 {
        self.target.get()
    }

    fn uniform(&self, _: u32, _: i32) -> usize {
        0
    }

    fn query(&self, query: Query, object: u32, name: u32) -> i64 {
        let (object, name) = (u64::from(object), u64::from(name));
        match query {
            Query::Map => {
                let [first, second, ..] = self.integers(id::glGetMapiv, &[object, name]);
                i64::from(first) * i64::from(second.max(1))
            }
            // The names of the sizes are in the order of the maps.
            Query::PixelMap => self.integer(object as u32 - GL_PIXEL_MAP_I_TO_I + GL_PIXEL_MAP_I_TO_I_SIZE),
            Query::UniformBlock => {
                let args = [object, name, u64::from(GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS)];
                i64::from(self.integers(id::glGetActiveUniformBlockiv, &args)[0])
            }
            _ => 0,
        }
    }

    fn memory(&self, _: u64) -> i32 {
        0
    }
}
