//! A context of the driver and its twin in the model, and functions that set state and draw.

use std::ffi::CString;

use api::reflection::answers::{AnswerValues, encode};
use api::{CommandId, constant as c, id};
use fixed::Pair;
use state::View;
use testing::model::CallMemory;
use testing::twin::{ContextKind, Twin};

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Arg {
    /// An integer, an enum or a boolean.
    Word(i64),
    Float(f32),
    Double(f64),
    /// A pointer to floats.
    Floats(Vec<f32>),
    /// A pointer to doubles.
    Doubles(Vec<f64>),
    /// A pointer to bytes.
    Bytes(Vec<u8>),
}

impl From<u32> for Arg {
    fn from(word: u32) -> Arg {
        Arg::Word(i64::from(word))
    }
}

impl From<i32> for Arg {
    fn from(word: i32) -> Arg {
        Arg::Word(i64::from(word))
    }
}

impl From<f32> for Arg {
    fn from(number: f32) -> Arg {
        Arg::Float(number)
    }
}

impl From<Vec<f32>> for Arg {
    fn from(numbers: Vec<f32>) -> Arg {
        Arg::Floats(numbers)
    }
}

/// Builds a list of arguments.
#[macro_export]
macro_rules! args {
    ($($arg:expr),*) => { &[$($crate::stage::Arg::from($arg)),*] };
}

/// What scenes are drawn to.
pub struct Stage {
    pub twin: Twin,
}

/// Width and height of the render target.
pub const SIZE: i32 = 48;

impl Stage {
    #[track_caller]
    pub fn new() -> Stage {
        Stage { twin: Twin::new(ContextKind::Compatibility, (SIZE, SIZE)) }
    }

    pub fn view(&self) -> View<'_> {
        self.twin.view()
    }

    /// Calls the driver only.
    #[track_caller]
    pub fn real(&self, command: CommandId, args: &[u64]) -> u64 {
        self.twin.real(command, args)
    }

    /// Issues the call to both. The driver must not report an error.
    #[track_caller]
    pub fn both(&mut self, command: CommandId, args: &[Arg]) {
        let mut inputs: Vec<(u8, Vec<u8>)> = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            let bytes = match arg {
                Arg::Floats(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
                Arg::Doubles(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
                Arg::Bytes(bytes) => bytes.clone(),
                _ => continue,
            };
            inputs.push((at as u8, bytes));
        }
        let word = |(at, arg): (usize, &Arg)| match arg {
            Arg::Word(word) => word.cast_unsigned(),
            Arg::Float(number) => u64::from(number.to_bits()),
            Arg::Double(number) => number.to_bits(),
            _ => inputs.iter().find(|(of, _)| usize::from(*of) == at).map_or(0, |(_, bytes)| bytes.as_ptr() as u64),
        };
        let words: Vec<u64> = args.iter().enumerate().map(word).collect();
        self.real(command, &words);
        self.twin.tell(command, &words, &CallMemory { inputs, outputs: Vec::new() }, 0);
        let error = self.real(id::glGetError, &[]);
        assert_eq!(error, 0, "{} {args:?}", api::command(command).name);
    }

    /// Gives both an assembly program, and the model the facts that capture would record about it.
    #[track_caller]
    pub fn program(&mut self, target: u32, text: &str) {
        let length = text.len() as i32;
        let given = Arg::Bytes(text.as_bytes().to_vec());
        let args = [Arg::from(target), Arg::from(c::GL_PROGRAM_FORMAT_ASCII_ARB), Arg::from(length), given];
        self.both(id::glProgramStringARB, &args);
        let bytes = encode(&[(c::GL_PROGRAM_ERROR_POSITION_ARB, 0, AnswerValues::Integers(vec![-1]))]);
        let args = [u64::from(target), bytes.len() as u64, 0];
        self.twin.tell(id::afiAssembly, &args, &CallMemory::reading(2, &bytes), 0);
    }

    pub fn switch(&mut self, what: u32, on: bool) {
        self.both(if on { id::glEnable } else { id::glDisable }, args![what]);
    }

    fn shader(&self, kind: u32, text: &str) -> u64 {
        let shader = self.real(id::glCreateShader, &[u64::from(kind)]);
        let (pointers, lengths) = ([text.as_ptr() as u64], [text.len() as i32]);
        self.real(id::glShaderSource, &[shader, 1, pointers.as_ptr() as u64, lengths.as_ptr() as u64]);
        self.real(id::glCompileShader, &[shader]);
        let mut status = 0i32;
        self.real(id::glGetShaderiv, &[shader, u64::from(c::GL_COMPILE_STATUS), &raw mut status as u64]);
        let mut log = vec![0u8; 4096];
        self.real(id::glGetShaderInfoLog, &[shader, 4096, 0, log.as_mut_ptr() as u64]);
        assert_eq!(status, 1, "{}\n{text}", String::from_utf8_lossy(&log));
        shader
    }

    /// Makes the driver use the shaders.
    pub fn install(&self, pair: &Pair) {
        self.install_texts(Some(&pair.vertex), Some(&pair.fragment));
        self.give_uniforms(pair);
    }

    /// The same with shaders of which one may be missing. Returns the program.
    pub fn install_texts(&self, vertex: Option<&str>, fragment: Option<&str>) -> u64 {
        let program = self.real(id::glCreateProgram, &[]);
        for (kind, text) in [(c::GL_VERTEX_SHADER, vertex), (c::GL_FRAGMENT_SHADER, fragment)] {
            if let Some(text) = text {
                self.real(id::glAttachShader, &[program, self.shader(kind, text)]);
            }
        }
        self.real(id::glLinkProgram, &[program]);
        let mut status = 0i32;
        self.real(id::glGetProgramiv, &[program, u64::from(c::GL_LINK_STATUS), &raw mut status as u64]);
        assert_eq!(status, 1, "the shaders do not link");
        self.real(id::glUseProgram, &[program]);
        program
    }

    /// Sets the uniforms of the current program, and the capabilities.
    pub fn give_uniforms(&self, pair: &Pair) {
        let mut program = 0i32;
        self.real(id::glGetIntegerv, &[u64::from(c::GL_CURRENT_PROGRAM), &raw mut program as u64]);
        for (name, words) in &pair.uniforms {
            let name = CString::new(name.as_str()).expect("no zero");
            let place = self.real(id::glGetUniformLocation, &[program as u64, name.as_ptr() as u64]);
            match words[..] {
                [unit] => self.real(id::glUniform1i, &[place, u64::from(unit)]),
                _ => self.real(id::glUniform4fv, &[place, words.len() as u64 / 4, words.as_ptr() as u64]),
            };
        }
        for (what, on) in &pair.switches {
            self.real(if *on { id::glEnable } else { id::glDisable }, &[u64::from(*what)]);
        }
    }

    /// Clears, draws and reads the result.
    pub fn picture(&self, draw: &dyn Fn(&Stage)) -> Vec<u8> {
        self.real(id::glClear, &[u64::from(c::GL_COLOR_BUFFER_BIT | c::GL_DEPTH_BUFFER_BIT)]);
        draw(self);
        let mut bytes = vec![0u8; (SIZE * SIZE * 4) as usize];
        let (size, pixels) = (SIZE as u64, bytes.as_mut_ptr() as u64);
        let (format, kind) = (u64::from(c::GL_RGBA), u64::from(c::GL_UNSIGNED_BYTE));
        self.real(id::glReadPixels, &[0, 0, size, size, format, kind, pixels]);
        assert_eq!(self.real(id::glGetError, &[]), 0, "drawing causes a GL error");
        bytes
    }
}
