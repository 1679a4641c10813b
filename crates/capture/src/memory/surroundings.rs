//! The state that payload sizes depend on, from the shadow or by querying the driver.

use std::cell::RefCell;

use api::extent::{Blocks, ExtentContext, PixelStore, Query, Texture};
use api::{Access, constant as c, id};

use super::bindings::Layout;
use super::{PerContext, driver};
use crate::binaries;
use crate::thread::Thread;

/// The state at a call.
pub struct CallSurroundings<'a> {
    /// Queries the driver.
    pub thread: &'a Thread,
    /// The shadow of the current context, if there is one.
    pub context: Option<&'a PerContext>,
    /// Pending errors of the program, taken from the driver before queries of our own.
    pub errors: RefCell<Vec<u32>>,
}

impl<'a> CallSurroundings<'a> {
    /// Returns the state at a call in this thread and context.
    pub fn new(thread: &'a Thread, context: Option<&'a PerContext>) -> CallSurroundings<'a> {
        CallSurroundings { thread, context, errors: RefCell::default() }
    }

    /// Makes a query that the driver may reject: its error is dropped, earlier errors are kept for the program.
    fn quietly<T>(&self, ask: impl FnOnce(&Thread) -> T) -> T {
        self.errors.borrow_mut().extend(driver::errors(self.thread));
        let answer = ask(self.thread);
        driver::errors(self.thread).for_each(drop);
        answer
    }
}

impl ExtentContext for CallSurroundings<'_> {
    fn bound(&self, target: u32) -> bool {
        let Some(context) = self.context else { return false };
        // Without a compatibility profile GL follows no pointers to draw parameters (GL 4.6, 10.4). Nor to indices, but
        // Mesa does.
        let only_buffers =
            matches!(target, c::GL_DRAW_INDIRECT_BUFFER | c::GL_DISPATCH_INDIRECT_BUFFER | c::GL_PARAMETER_BUFFER);
        if context.facts.core && only_buffers {
            return true;
        }
        match context.bindings.doubtful(target) {
            Some(binding) => driver::integer(self.thread, binding) != 0,
            None => context.bindings.name(target) != 0,
        }
    }

    fn pixels(&self, access: Access) -> PixelStore {
        let Some(context) = self.context else { return PixelStore::default() };
        let (layout, target): (&Layout, _) = match access {
            Access::Read => (&context.layouts.unpack, c::GL_PIXEL_UNPACK_BUFFER),
            Access::Write | Access::Both => (&context.layouts.pack, c::GL_PIXEL_PACK_BUFFER),
        };
        PixelStore {
            buffer: self.bound(target),
            alignment: layout.alignment.cast_unsigned(),
            row_length: layout.row_length.cast_unsigned(),
            image_height: layout.image_height.cast_unsigned(),
            skip_pixels: layout.skip_pixels.cast_unsigned(),
            skip_rows: layout.skip_rows.cast_unsigned(),
            skip_images: layout.skip_images.cast_unsigned(),
        }
    }

    fn blocks(&self, access: Access) -> Blocks {
        let Some(context) = self.context else { return Blocks::default() };
        let layout = if access == Access::Read { &context.layouts.unpack } else { &context.layouts.pack };
        let [width, height, depth, size] = layout.block.map(i32::cast_unsigned);
        Blocks { width, height, depth, size }
    }

    fn target(&self, texture: u32) -> u32 {
        // Mesa's compatibility profile does not support this name and would leave an error behind.
        if self.context.is_none_or(|context| !context.facts.core) {
            return 0;
        }
        self.quietly(|thread| driver::by_name(thread, id::glGetTextureParameteriv, texture, c::GL_TEXTURE_TARGET))
            .cast_unsigned()
    }

    fn integer(&self, pname: u32) -> i64 {
        i64::from(self.quietly(|thread| binaries::shown_number(thread, pname, driver::integer(thread, pname))))
    }

    fn level(&self, texture: Texture, level: i32, pname: u32) -> i64 {
        i64::from(self.quietly(|thread| driver::level(thread, texture, level, pname)))
    }

    fn uniform(&self, program: u32, location: i32) -> usize {
        self.quietly(|thread| driver::uniform_numbers(thread, program, location))
    }

    fn query(&self, query: Query, object: u32, pname: u32) -> i64 {
        /// The difference between the name of a pixel map and the name of its size.
        const PIXEL_MAP_TO_SIZE: u32 = c::GL_PIXEL_MAP_I_TO_I_SIZE - c::GL_PIXEL_MAP_I_TO_I;
        i64::from(self.quietly(|thread| match query {
            Query::Program => driver::by_name(thread, id::glGetProgramiv, object, pname),
            Query::Map => driver::map_product(thread, object, pname),
            Query::PixelMap => driver::integer(thread, object.wrapping_add(PIXEL_MAP_TO_SIZE)),
            Query::UniformBlock => driver::uniform_block(thread, object, pname, c::GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS),
            Query::AssemblyProgram => driver::by_name(thread, id::glGetProgramivARB, object, c::GL_PROGRAM_LENGTH_ARB),
            Query::Imaging => {
                let command = match pname {
                    c::GL_COLOR_TABLE_WIDTH => id::glGetColorTableParameteriv,
                    c::GL_HISTOGRAM_WIDTH => id::glGetHistogramParameteriv,
                    _ => id::glGetConvolutionParameteriv,
                };
                driver::by_name(thread, command, object, pname)
            }
        }))
    }

    fn program_length(&self, program: u32, target: u32) -> usize {
        self.quietly(|thread| driver::program_length(thread, program, target))
    }

    fn atomic_counters(&self, program: u32, buffer: u32) -> usize {
        self.quietly(|thread| driver::atomic_counters(thread, program, buffer))
    }

    fn subroutines(&self, program: u32, stage: u32, index: u32) -> usize {
        self.quietly(|thread| driver::subroutines(thread, program, stage, index))
    }

    fn memory(&self, address: u64) -> i32 {
        super::payload::int(address)
    }
}
