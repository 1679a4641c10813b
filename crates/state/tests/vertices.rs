//! Buffers, vertex arrays, queries and draw calls: short programs and GL's answers after them (GL 4.6, chapter 23).

use api::{CommandId, constant as c, id};
use state::{CallObserver, ContentsRef, Source, Values};
use testing::model::{CallMemory, Calls};

#[derive(Default)]
struct Touched {
    read: Vec<ContentsRef>,
    written: Vec<(ContentsRef, Source)>,
}

impl CallObserver for Touched {
    fn reads(&mut self, thing: ContentsRef) {
        self.read.push(thing);
    }
    fn writes(&mut self, thing: ContentsRef, source: Source) {
        self.written.push((thing, source));
    }
}

struct Program {
    calls: Calls,
    touched: Touched,
}

impl Program {
    /// Creates a program with a compatibility context and a window of 64 by 64 pixels.
    fn new() -> Program {
        let calls = Calls::new(c::GL_CONTEXT_COMPATIBILITY_PROFILE_BIT, (64, 64));
        Program { calls, touched: Touched::default() }
    }

    fn full(&mut self, command: CommandId, args: &[u64], result: u64, memory: &CallMemory) {
        self.touched = Touched::default();
        self.calls.make(command, args, result, memory, Some(&mut self.touched));
    }

    fn call(&mut self, command: CommandId, args: &[u64]) {
        self.full(command, args, 0, &CallMemory::default());
    }

    fn generate(&mut self, command: CommandId, names: &[u32]) {
        let bytes: Vec<u8> = names.iter().flat_map(|name| name.to_le_bytes()).collect();
        self.full(command, &[names.len() as u64, 0x1000], 0, &CallMemory::writing(1, &bytes));
    }

    fn delete(&mut self, command: CommandId, names: &[u32]) {
        let bytes: Vec<u8> = names.iter().flat_map(|name| name.to_le_bytes()).collect();
        self.full(command, &[names.len() as u64, 0x1000], 0, &CallMemory::reading(1, &bytes));
    }

    /// Returns and clears the pending error.
    fn error(&mut self) -> u32 {
        self.calls.error()
    }

    fn ask(&self, command: CommandId, args: &[u64]) -> Result<f64, u32> {
        let view = self.calls.model.view(0).expect("a context is current");
        let answer = view.answer(command, args).expect("the model knows the query").map_err(|fault| fault.error)?;
        Ok(match answer.values {
            Values::Numbers(numbers) => numbers[0],
            Values::Long(numbers) => numbers[0] as f64,
            Values::Pointer(address) => address as f64,
            other => panic!("{other:?} is not a number"),
        })
    }

    fn get(&self, name: u32) -> f64 {
        self.ask(id::glGetIntegerv, &[name.into(), 0]).expect("the parameter exists")
    }
}

const ARRAY: u64 = c::GL_ARRAY_BUFFER as u64;
const UNIFORM: u64 = c::GL_UNIFORM_BUFFER as u64;

#[test]
fn deleting_a_buffer_unbinds_it() {
    let mut program = Program::new();
    program.generate(id::glGenBuffers, &[1, 2]);
    assert_eq!(program.ask(id::glIsBuffer, &[1]), Ok(0.0), "a generated name is not a buffer yet");
    program.call(id::glBindBuffer, &[ARRAY, 1]);
    program.call(id::glBindBufferBase, &[UNIFORM, 3, 1]);
    program.call(id::glBufferData, &[ARRAY, 100, 0, c::GL_STREAM_DRAW.into()]);
    assert_eq!(program.ask(id::glIsBuffer, &[1]), Ok(1.0));
    assert_eq!(program.ask(id::glGetBufferParameteriv, &[ARRAY, c::GL_BUFFER_SIZE.into(), 0]), Ok(100.0));
    assert_eq!(program.ask(id::glGetIntegeri_v, &[c::GL_UNIFORM_BUFFER_BINDING.into(), 3, 0]), Ok(1.0));
    program.delete(id::glDeleteBuffers, &[1]);
    assert_eq!(program.get(c::GL_ARRAY_BUFFER_BINDING), 0.0);
    assert_eq!(program.ask(id::glGetIntegeri_v, &[c::GL_UNIFORM_BUFFER_BINDING.into(), 3, 0]), Ok(0.0));
    assert_eq!(program.error(), c::GL_NO_ERROR);
}

#[test]
fn a_vertex_array_keeps_a_buffer_whose_name_is_deleted() {
    let mut program = Program::new();
    program.generate(id::glGenBuffers, &[5]);
    program.generate(id::glGenVertexArrays, &[7]);
    program.call(id::glBindVertexArray, &[7]);
    program.call(id::glBindBuffer, &[ARRAY, 5]);
    program.call(id::glBufferData, &[ARRAY, 64, 0, c::GL_STATIC_DRAW.into()]);
    program.call(id::glVertexAttribPointer, &[2, 3, c::GL_FLOAT.into(), 0, 12, 4]);
    program.call(id::glEnableVertexAttribArray, &[2]);
    let before = program.calls.model.groups[0].buffers[&5].object;
    program.call(id::glBindVertexArray, &[0]);
    program.delete(id::glDeleteBuffers, &[5]);
    program.call(id::glBindVertexArray, &[7]);
    let binding = [2, c::GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING.into(), 0];
    assert_eq!(program.ask(id::glGetVertexAttribiv, &binding), Ok(5.0));
    assert_eq!(program.ask(id::glGetVertexAttribPointerv, &[2, c::GL_VERTEX_ATTRIB_ARRAY_POINTER.into(), 0]), Ok(4.0));
    program.call(id::glDrawArrays, &[c::GL_TRIANGLES.into(), 1, 3]);
    let vertices = ContentsRef::Buffer { object: before, from: 16, to: 52 };
    assert!(program.touched.read.contains(&vertices), "{:?}", program.touched.read);
    let back = ContentsRef::Surface { surface: 1, plane: c::GL_BACK_LEFT };
    assert!(program.touched.written.contains(&(back, Source::Gpu)), "{:?}", program.touched.written);
}

#[test]
fn clears_replace_everything_unless_masked() {
    let mut program = Program::new();
    let back = ContentsRef::Surface { surface: 1, plane: c::GL_BACK_LEFT };
    program.call(id::glClear, &[c::GL_COLOR_BUFFER_BIT.into()]);
    assert_eq!(program.touched.written, [(back, Source::Fill { whole: true })]);
    program.call(id::glColorMask, &[1, 1, 1, 0]);
    program.call(id::glClear, &[c::GL_COLOR_BUFFER_BIT.into()]);
    assert_eq!(program.touched.written, [(back, Source::Fill { whole: false })]);
    program.call(id::glClear, &[1]);
    assert_eq!(program.error(), c::GL_INVALID_VALUE);
}

#[test]
fn query_results_are_known_once_read() {
    let mut program = Program::new();
    program.generate(id::glGenQueries, &[3]);
    let samples = c::GL_SAMPLES_PASSED.into();
    program.call(id::glBeginQuery, &[samples, 3]);
    assert_eq!(program.ask(id::glGetQueryiv, &[samples, c::GL_CURRENT_QUERY.into(), 0]), Ok(3.0));
    program.call(id::glBeginQuery, &[samples, 3]);
    assert_eq!(program.error(), c::GL_INVALID_OPERATION);
    program.call(id::glEndQuery, &[samples]);
    let told = CallMemory::writing(2, &77u32.to_le_bytes());
    let result = [3, c::GL_QUERY_RESULT.into(), 0x1000];
    program.full(id::glGetQueryObjectuiv, &result, 0, &told);
    assert_eq!(program.ask(id::glGetQueryObjectuiv, &result), Ok(77.0));
}

#[test]
fn mapped_buffers_reject_access() {
    let mut program = Program::new();
    program.call(id::glBindBuffer, &[ARRAY, 9]);
    program.call(id::glBufferData, &[ARRAY, 64, 0, c::GL_STATIC_DRAW.into()]);
    program.full(id::glMapBufferRange, &[ARRAY, 16, 16, c::GL_MAP_WRITE_BIT.into()], 0x7000, &CallMemory::default());
    assert_eq!(program.ask(id::glGetBufferPointerv, &[ARRAY, c::GL_BUFFER_MAP_POINTER.into(), 0]), Ok(28672.0));
    program.call(id::glBufferSubData, &[ARRAY, 20, 4, 0x1000]);
    assert_eq!(program.error(), c::GL_INVALID_OPERATION);
    program.call(id::glBufferSubData, &[ARRAY, 32, 4, 0x1000]);
    assert_eq!(program.error(), c::GL_NO_ERROR);
    program.call(id::glBufferData, &[ARRAY, 8, 0, c::GL_STATIC_DRAW.into()]);
    assert_eq!(program.ask(id::glGetBufferParameteriv, &[ARRAY, c::GL_BUFFER_MAPPED.into(), 0]), Ok(0.0));
}

#[test]
fn rejected_queries_set_an_error() {
    let mut program = Program::new();
    program.call(id::glGetBufferParameteriv, &[ARRAY, c::GL_BUFFER_SIZE.into(), 0x1000]);
    assert_eq!(program.error(), c::GL_INVALID_OPERATION);
    program.call(id::glGetVertexAttribiv, &[100, c::GL_VERTEX_ATTRIB_ARRAY_SIZE.into(), 0x1000]);
    assert_eq!(program.error(), c::GL_INVALID_VALUE);
}
