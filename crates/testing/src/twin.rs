//! A context of the driver and one of the model to which the same calls are made.
#![allow(unsafe_code, reason = "commands of a driver are called by address")]

mod limits;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_void};

use api::{CommandId, constant as c, id};
use driver::{Client, ContextRequest, DeviceChoice, Screen, SurfaceRequest, invoke};
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

/// A context of the driver and one of the model.
pub struct Twin {
    /// The driver's display.
    pub screen: Screen,
    /// The model, whose context has the number 1 and belongs to thread 0.
    pub model: Model,
    addresses: RefCell<BTreeMap<u16, usize>>,
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
        let screen = found(Screen::open(&DeviceChoice::First));
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
        let mut twin =
            Twin { screen, model: Model::default(), addresses: RefCell::default(), differences: BTreeMap::new() };
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

    /// Makes a call to the driver alone. Tests are trusted with their arguments: a pointer among them must point to as much
    /// memory as the command reads or writes.
    ///
    /// # Panics
    /// When the driver does not have the command.
    #[track_caller]
    pub fn real(&self, command: CommandId, args: &[u64]) -> u64 {
        let name = api::command(command).name;
        let address = *self.addresses.borrow_mut().entry(command.0).or_insert_with(|| {
            let name = CString::new(name).expect("names of commands have no zeros");
            self.screen.address(&name) as usize
        });
        assert!(address != 0, "the driver has no {name}");
        // SAFETY: EGL gave the address for this command's name, and callers give it memory that is large enough.
        unsafe { invoke(address as *const c_void, command, args) }
    }

    /// Returns the driver's error, and clears it.
    pub fn real_error(&self) -> u32 {
        self.real(id::glGetError, &[]) as u32
    }

    /// Returns a string of the driver's; an empty one if it has none of that name.
    #[must_use]
    pub fn text(&self, name: u32) -> String {
        text(self.real(id::glGetString, &[u64::from(name)]))
    }

    /// Returns one of a list of strings of the driver's.
    #[must_use]
    pub fn text_at(&self, name: u32, index: u64) -> String {
        text(self.real(id::glGetStringi, &[u64::from(name), index]))
    }

    /// Returns integers of the driver's; `None` if it has none of that name.
    #[must_use]
    pub fn integers(&self, name: u32, count: usize) -> Option<Vec<i64>> {
        let mut numbers = vec![0i32; count.max(64)];
        self.real(id::glGetIntegerv, &[u64::from(name), numbers.as_mut_ptr() as u64]);
        (self.real_error() == 0).then(|| numbers[..count].iter().map(|number| i64::from(*number)).collect())
    }

    /// Tells the model what capture records as `afiDescribe`.
    fn describe(&mut self) {
        let mut texts = [c::GL_VENDOR, c::GL_RENDERER, c::GL_VERSION].map(|name| self.text(name)).to_vec();
        let count = self.integers(c::GL_NUM_EXTENSIONS, 1).map_or(0, |numbers| numbers[0]);
        texts.push(if count == 0 {
            self.text(c::GL_EXTENSIONS)
        } else {
            (0..count as u64).map(|at| self.text_at(c::GL_EXTENSIONS, at)).collect::<Vec<_>>().join(" ")
        });
        let inputs = (1..).zip(texts).map(|(param, text)| (param, text.into_bytes())).collect();
        self.tell(id::afiDescribe, &[1, 0, 0, 0, 0], &CallMemory { inputs, outputs: Vec::new() }, 0);
    }

    /// Makes a call to both, and notes if their errors differ. `shown` is the call in that note.
    #[track_caller]
    pub fn both(&mut self, command: CommandId, args: &[u64], inputs: Vec<(u8, Vec<u8>)>, shown: &str) {
        let result = self.real(command, args);
        let heard = self.hear(command, args, &CallMemory { inputs, outputs: Vec::new() }, result);
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

fn text(address: u64) -> String {
    if address == 0 {
        return String::new();
    }
    // SAFETY: GL's strings end with a zero, and live as long as the context.
    unsafe { CStr::from_ptr(address as *const _) }.to_string_lossy().into_owned()
}
