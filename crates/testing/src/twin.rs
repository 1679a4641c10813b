//! A context of the driver and one of the model to which the same calls are made.

mod limits;

use std::cell::RefCell;
use std::collections::BTreeMap;

use api::call::{CallMemory as Slice, PointerArgument};
use api::request::{Client, ContextRequest, SurfaceRequest};
use api::{CommandId, constant as c, id};
use driver::{DeviceChoice, Screen};
use state::call::NoMemory;
use state::{Call, CallObserver, Fault, Memory, Model, View};

use crate::driver::found;
use crate::model::CallMemory;

/// Kinds of contexts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContextKind {
    /// GL 4.5, compatibility profile.
    Compatibility,
    /// GL 4.5, core profile.
    Core,
    /// OpenGL ES 1.1.
    Es1,
    /// OpenGL ES 3.2.
    Es3,
}

/// In calls to the model, the argument of a pointer with memory.
pub const ADDRESS: u64 = 0x7F00_0000_0000;

/// A context of the driver and one of the model.
pub struct Twin {
    screen: RefCell<Screen>,
    /// The model, whose context has the number 1 and belongs to thread 0.
    pub model: Model,
    differences: BTreeMap<String, String>,
}

/// What the model reported about a call.
#[derive(Default)]
struct Heard {
    refused: Option<Fault>,
    differs: Option<(u32, u32)>,
}

impl CallObserver for Heard {
    fn refused(&mut self, fault: Fault) {
        self.refused = Some(fault);
    }

    fn error_differs(&mut self, expected: u32, recorded: u32) {
        self.differs = Some((expected, recorded));
    }
}

impl Twin {
    /// Makes a context with a single-buffered surface of this size, and tells the model what capture would record of it.
    ///
    /// # Panics
    /// When the driver makes no such context.
    #[must_use]
    #[track_caller]
    pub fn new(kind: ContextKind, (width, height): (i32, i32)) -> Twin {
        let mut screen = found(Screen::open(&DeviceChoice::First));
        let (client, major, minor, profile) = match kind {
            ContextKind::Compatibility => (Client::Desktop, 4, 5, c::GL_CONTEXT_COMPATIBILITY_PROFILE_BIT),
            ContextKind::Core => (Client::Desktop, 4, 5, c::GL_CONTEXT_CORE_PROFILE_BIT),
            ContextKind::Es1 => (Client::Es1, 1, 1, 0),
            ContextKind::Es3 => (Client::Es, 3, 2, 0),
        };
        let request = ContextRequest { client, major, minor, profile, flags: 0 };
        let surface = SurfaceRequest {
            width,
            height,
            red: 8,
            green: 8,
            blue: 8,
            alpha: 8,
            depth: 24,
            stencil: 8,
            ..SurfaceRequest::default()
        };
        let context = found(screen.context(&request, None));
        let pbuffer = found(screen.pbuffer(&surface, client));
        found(screen.make_current(Some(context), Some(pbuffer), Some(pbuffer)));
        let mut twin = Twin { screen: RefCell::new(screen), model: Model::default(), differences: BTreeMap::new() };
        let api = if client == Client::Desktop { c::EGL_OPENGL_API } else { c::EGL_OPENGL_ES_API };
        let words = [1, 0, 0, u64::from(api), major as u64, minor as u64, u64::from(profile), 0];
        twin.tell(id::afiContext, &words, &NoMemory, 0);
        twin.describe();
        let limits = twin.limits();
        twin.tell(id::afiLimits, &[1, limits.len() as u64, 0], &CallMemory::reading(2, &limits), 0);
        let words = [1, 0, 1, width as u64, height as u64, 8, 8, 8, 8, 24, 8, 0, 0, 0];
        twin.tell(id::afiSurface, &words, &NoMemory, 0);
        twin.tell(id::afiCurrent, &[1, 1, 1], &NoMemory, 0);
        twin
    }

    /// Returns the model's context.
    ///
    /// # Panics
    /// Never: the context is current.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        self.model.view(0).expect("the context is current")
    }

    /// Returns whether the model is between `glBegin` and `glEnd`, where the driver answers no queries.
    ///
    /// # Panics
    /// Never: there is a context.
    #[must_use]
    pub fn begun(&self) -> bool {
        self.model.context(1).expect("there is a context").fixed.begun.is_some()
    }

    /// Makes a call to the model alone.
    pub fn tell(&mut self, command: CommandId, args: &[u64], memory: &dyn Memory, result: u64) {
        self.hear(command, args, memory, result);
    }

    fn hear(&mut self, command: CommandId, args: &[u64], memory: &dyn Memory, result: u64) -> Heard {
        let mut heard = Heard::default();
        let call = Call { number: 0, command, thread: 0, by_capture: false, args, result: Some(result), memory };
        self.model.apply(&call, Some(&mut heard));
        heard
    }

    /// Makes a call to the driver alone, all of whose arguments are numbers, or pointers that are null or offsets.
    ///
    /// # Panics
    /// When the driver does not have the command.
    #[track_caller]
    pub fn real(&self, command: CommandId, args: &[u64]) -> u64 {
        self.real_with(command, args, &mut [])
    }

    /// Makes a call to the driver alone. Pointers with memory are given apart; their words do not count.
    ///
    /// # Panics
    /// When the driver does not have the command.
    #[track_caller]
    pub fn real_with(&self, command: CommandId, args: &[u64], pointers: &mut [PointerArgument<'_>]) -> u64 {
        let mut screen = self.screen.borrow_mut();
        assert!(screen.has(command), "the driver has no {}", api::command(command).name);
        screen.call(command, args, pointers)
    }

    /// Makes a call to the driver alone that reads memory behind some of its parameters.
    ///
    /// # Panics
    /// When the driver does not have the command.
    #[track_caller]
    pub fn real_inputs(&self, command: CommandId, args: &[u64], inputs: &[(u8, Vec<u8>)]) -> u64 {
        let pointers =
            inputs.iter().map(|(param, bytes)| PointerArgument { param: *param, memory: Slice::Input(bytes) });
        self.real_with(command, args, &mut pointers.collect::<Vec<_>>())
    }

    /// Makes a call to the driver alone whose last parameter, for which `args` has no word, points to memory that it reads.
    ///
    /// # Panics
    /// When the driver does not have the command.
    #[track_caller]
    pub fn real_reading(&self, command: CommandId, args: &[u64], bytes: &[u8]) -> u64 {
        self.real_ending(command, args, Slice::Input(bytes))
    }

    /// Makes a call to the driver alone whose last parameter, for which `args` has no word, points to memory that it
    /// writes.
    ///
    /// # Panics
    /// When the driver does not have the command.
    #[track_caller]
    pub fn real_writing(&self, command: CommandId, args: &[u64], bytes: &mut [u8]) -> u64 {
        self.real_ending(command, args, Slice::Output(bytes))
    }

    #[track_caller]
    fn real_ending(&self, command: CommandId, args: &[u64], memory: Slice<'_>) -> u64 {
        let pointer = PointerArgument { param: args.len() as u8, memory };
        self.real_with(command, &[args, &[0]].concat(), &mut [pointer])
    }

    /// Gives the driver's shader a source.
    ///
    /// # Panics
    /// When the driver has no shaders.
    #[track_caller]
    pub fn real_source(&self, shader: u64, text: &str) {
        let texts = [text.as_bytes()];
        let lengths = PointerArgument { param: 3, memory: Slice::Input(&[0; 4]) };
        let texts = PointerArgument { param: 2, memory: Slice::Inputs(&texts) };
        self.real_with(id::glShaderSource, &[shader, 1, 0, 0], &mut [texts, lengths]);
    }

    /// Returns the driver's error, and clears it.
    pub fn real_error(&self) -> u32 {
        self.real(id::glGetError, &[]) as u32
    }

    /// Returns a string of the driver's; an empty one if it has none of that name.
    #[must_use]
    pub fn text(&self, name: u32) -> String {
        self.screen.borrow_mut().string(name, None)
    }

    /// Returns one of a list of strings of the driver's.
    #[must_use]
    pub fn text_at(&self, name: u32, index: u32) -> String {
        self.screen.borrow_mut().string(name, Some(index))
    }

    /// Returns integers of the driver's; `None` if it has none of that name.
    #[must_use]
    pub fn integers(&self, name: u32, count: usize) -> Option<Vec<i64>> {
        let numbers = self.query(id::glGetIntegerv, &[u64::from(name)], count)?;
        Some(numbers.into_iter().map(|bytes| i64::from(i32::from_ne_bytes(bytes))).collect())
    }

    /// Returns the values of `N` bytes that a query writes behind its last parameter, for which `args` has no word; `None`
    /// when the driver reports an error.
    fn query<const N: usize>(&self, query: CommandId, args: &[u64], count: usize) -> Option<Vec<[u8; N]>> {
        let mut bytes = vec![0; N * count];
        self.real_writing(query, args, &mut bytes);
        (self.real_error() == 0).then(|| bytes.as_chunks().0.to_vec())
    }

    /// Tells the model what capture records as `afiDescribe`.
    fn describe(&mut self) {
        let mut texts = [c::GL_VENDOR, c::GL_RENDERER, c::GL_VERSION].map(|name| self.text(name)).to_vec();
        let count = self.integers(c::GL_NUM_EXTENSIONS, 1).map_or(0, |numbers| numbers[0]);
        texts.push(if count == 0 {
            self.text(c::GL_EXTENSIONS)
        } else {
            (0..count as u32).map(|at| self.text_at(c::GL_EXTENSIONS, at)).collect::<Vec<_>>().join(" ")
        });
        let inputs = (1..).zip(texts).map(|(param, text)| (param, text.into_bytes())).collect();
        self.tell(id::afiDescribe, &[1, 0, 0, 0, 0], &CallMemory { inputs, outputs: Vec::new() }, 0);
    }

    /// Makes a call to both, and notes if their errors differ. `inputs` count in place of the arguments of their
    /// parameters; `shown` is the call in that note.
    #[track_caller]
    pub fn both(&mut self, command: CommandId, args: &[u64], inputs: Vec<(u8, Vec<u8>)>, shown: &str) {
        let result = self.real_inputs(command, args, &inputs);
        let mut words = args.to_vec();
        inputs.iter().for_each(|(param, _)| words[usize::from(*param)] = ADDRESS);
        let heard = self.hear(command, &words, &CallMemory { inputs, outputs: Vec::new() }, result);
        // Between `glBegin` and `glEnd` there is no asking.
        if self.begun() {
            return;
        }
        let real = u64::from(self.real_error());
        if let Some((expected, recorded)) = self.hear(id::glGetError, &[], &NoMemory, real).differs {
            let why = heard.refused.map_or("", |fault| fault.why);
            let key = format!("{} {:#x}", api::command(command).name, args.first().copied().unwrap_or(0));
            self.differs(key, format!("{shown}: the driver says {recorded:#x}, the model {expected:#x} ({why})"));
        }
    }

    /// Notes a difference; of those with the same key, the first.
    pub fn differs(&mut self, key: String, text: String) {
        self.differences.entry(key).or_insert(text);
    }

    /// Returns what was noted.
    #[must_use]
    pub fn differences(&self) -> Vec<String> {
        self.differences.values().cloned().collect()
    }
}
