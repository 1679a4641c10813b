//! The model and a real driver, side by side: both get the same calls and queries.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::fmt::Write as _;
use std::sync::Arc;

use api::{CommandId, Scalar, constant as c, id};
use driver::{Client, ContextRequest, DeviceChoice, Screen, SurfaceRequest};
use state::{Call, Data, Memory, Model, Values};

/// The kind of context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Compatibility,
    Core,
    Es,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A number.
    Word(u64),
    /// Memory that is read.
    In(Vec<u8>),
    /// Memory of this many bytes that is written.
    Out(usize),
}

/// The model and a driver.
pub struct Lab {
    pub screen: Screen,
    pub model: Model,
    pub kind: Kind,
    /// Differences: how often, and the first case.
    pub differences: BTreeMap<String, (u32, String)>,
    /// Calls so far, to see what led to a difference.
    pub log: Vec<String>,
    pub asked: u64,
    pub called: u64,
}

pub fn w(number: impl Into<i64>) -> Arg {
    Arg::Word(number.into() as u64)
}

pub fn f(number: f32) -> Arg {
    Arg::Word(u64::from(number.to_bits()))
}

pub fn ints(numbers: &[i32]) -> Arg {
    Arg::In(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

pub fn floats(numbers: &[f32]) -> Arg {
    Arg::In(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}

struct RecordedMemory<'a> {
    args: &'a [Arg],
    written: &'a [Vec<u8>],
}

impl Memory for RecordedMemory<'_> {
    fn input(&self, param: u8) -> Option<Data> {
        self.input_bytes(param).map(|bytes| Data { size: bytes.len() as u64, blob: None })
    }
    fn output(&self, param: u8) -> Option<Data> {
        self.output_bytes(param).map(|bytes| Data { size: bytes.len() as u64, blob: None })
    }
    fn input_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        match self.args.get(usize::from(param))? {
            Arg::In(bytes) => Some(Cow::Borrowed(bytes)),
            _ => None,
        }
    }
    fn output_bytes(&self, param: u8) -> Option<Cow<'_, [u8]>> {
        match self.args.get(usize::from(param))? {
            Arg::Out(_) => Some(Cow::Borrowed(&self.written[usize::from(param)])),
            _ => None,
        }
    }
}

/// Limits that images depend on.
const LIMITS: &[u32] = &[
    c::GL_MAX_TEXTURE_SIZE,
    c::GL_MAX_3D_TEXTURE_SIZE,
    c::GL_MAX_CUBE_MAP_TEXTURE_SIZE,
    c::GL_MAX_RECTANGLE_TEXTURE_SIZE,
    c::GL_MAX_ARRAY_TEXTURE_LAYERS,
    c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS,
    c::GL_MAX_TEXTURE_COORDS,
    c::GL_MAX_TEXTURE_UNITS,
    c::GL_MAX_IMAGE_UNITS,
    c::GL_MAX_SAMPLES,
    c::GL_MAX_COLOR_TEXTURE_SAMPLES,
    c::GL_MAX_DEPTH_TEXTURE_SAMPLES,
    c::GL_MAX_INTEGER_SAMPLES,
    c::GL_MAX_RENDERBUFFER_SIZE,
    c::GL_MAX_COLOR_ATTACHMENTS,
    c::GL_MAX_DRAW_BUFFERS,
    c::GL_MAX_TEXTURE_MAX_ANISOTROPY,
    c::GL_MAX_TEXTURE_BUFFER_SIZE,
    c::GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT,
    c::GL_MAX_FRAMEBUFFER_WIDTH,
    c::GL_MAX_FRAMEBUFFER_HEIGHT,
    c::GL_MAX_FRAMEBUFFER_LAYERS,
    c::GL_MAX_FRAMEBUFFER_SAMPLES,
];

impl Lab {
    /// Creates a context with a window of 64 by 48 pixels.
    pub fn new(kind: Kind) -> Lab {
        let screen = Screen::open(&DeviceChoice::First).expect("a display");
        let (client, major, minor, profile) = match kind {
            Kind::Compatibility => (Client::Desktop, 4, 5, 2),
            Kind::Core => (Client::Desktop, 4, 5, 1),
            Kind::Es => (Client::Es, 3, 2, 0),
        };
        let context =
            screen.context(&ContextRequest { client, major, minor, profile, flags: 0 }, None).expect("a context");
        let request = SurfaceRequest {
            width: 64,
            height: 48,
            red: 8,
            green: 8,
            blue: 8,
            alpha: 8,
            depth: 24,
            stencil: 8,
            ..SurfaceRequest::default()
        };
        let surface = screen.pbuffer(&request, client).expect("a surface");
        screen.make_current(Some(context), Some(surface), Some(surface)).expect("current");
        let mut lab = Lab {
            screen,
            model: Model::default(),
            kind,
            differences: BTreeMap::new(),
            log: Vec::new(),
            asked: 0,
            called: 0,
        };
        let api = if kind == Kind::Es { c::EGL_OPENGL_ES_API } else { c::EGL_OPENGL_API };
        lab.tell(id::afiContext, &[w(1), w(0), w(1), w(api), w(major), w(minor), w(profile as i64), w(0)]);
        let text = |text: String| Arg::In(text.into_bytes());
        let version = lab.string(c::GL_VERSION, None);
        let count = lab.integer(c::GL_NUM_EXTENSIONS).unwrap_or(0);
        let extensions: Vec<String> = (0..count).map(|at| lab.string(c::GL_EXTENSIONS, Some(at))).collect();
        lab.tell(
            id::afiDescribe,
            &[w(1), text(String::new()), text(String::new()), text(version), text(extensions.join(" "))],
        );
        let mut limits = Vec::new();
        for name in LIMITS {
            if let Some(value) = lab.integer(*name) {
                for word in [*name, 0, 0, 1] {
                    limits.extend(word.to_le_bytes());
                }
                limits.extend(i64::from(value).to_le_bytes());
            }
        }
        lab.tell(id::afiLimits, &[w(1), w(limits.len() as i64), Arg::In(limits)]);
        let bits = [8, 8, 8, 8, 24, 8, 0].map(w);
        let mut surface = vec![w(1), w(1), w(1), w(64), w(48)];
        surface.extend(bits);
        // An EGL pbuffer has no back buffer.
        surface.extend([w(0), w(0)]);
        lab.tell(id::afiSurface, &surface);
        lab.tell(id::afiCurrent, &[w(1), w(1), w(1)]);
        lab
    }

    fn address(&self, command: CommandId) -> *const std::ffi::c_void {
        let name = CString::new(api::command(command).name).expect("command names have no NUL bytes");
        self.screen.address(&name)
    }

    fn invoke(&self, command: CommandId, words: &[u64]) -> u64 {
        let address = self.address(command);
        assert!(!address.is_null(), "the driver has no {}", api::command(command).name);
        // SAFETY: the address is the command's, and callers point to enough memory.
        unsafe { driver::invoke(address, command, words) }
    }

    fn error(&self) -> u32 {
        self.invoke(id::glGetError, &[]) as u32
    }

    /// Returns an integer parameter of the driver; `None` if it has none of that name.
    pub fn integer(&self, name: u32) -> Option<i32> {
        let mut value = [0i32; 16];
        self.invoke(id::glGetIntegerv, &[u64::from(name), value.as_mut_ptr() as u64]);
        (self.error() == 0).then_some(value[0])
    }

    fn string(&self, name: u32, index: Option<i32>) -> String {
        let address = match index {
            Some(index) => self.invoke(id::glGetStringi, &[u64::from(name), index as u64]),
            None => self.invoke(id::glGetString, &[u64::from(name)]),
        };
        // SAFETY: GL returns a string that lives as long as the context.
        let text = unsafe { std::ffi::CStr::from_ptr(address as *const std::ffi::c_char) };
        text.to_string_lossy().into_owned()
    }

    /// Applies a call to the model only.
    fn tell(&mut self, command: CommandId, args: &[Arg]) {
        let words: Vec<u64> = args.iter().map(|arg| if let Arg::Word(word) = arg { *word } else { 1 }).collect();
        self.apply(command, &words, args, &vec![Vec::new(); args.len()], 0);
    }

    fn apply(&mut self, command: CommandId, words: &[u64], args: &[Arg], written: &[Vec<u8>], result: u64) {
        let memory = RecordedMemory { args, written };
        let call = Call {
            number: self.called,
            command,
            thread: 1,
            by_capture: false,
            args: words,
            result: Some(result),
            memory: &memory,
        };
        self.model.apply(&call, None);
    }

    /// Makes a call to both; their errors must be the same.
    pub fn call(&mut self, command: CommandId, args: &[Arg]) -> (u64, Vec<Vec<u8>>) {
        let mut written: Vec<Vec<u8>> = args
            .iter()
            .map(|arg| match arg {
                Arg::Out(size) => vec![0; *size],
                _ => Vec::new(),
            })
            .collect();
        let words: Vec<u64> = args
            .iter()
            .zip(&mut written)
            .map(|(arg, written)| match arg {
                Arg::Word(word) => *word,
                Arg::In(bytes) => bytes.as_ptr() as u64,
                Arg::Out(_) => written.as_mut_ptr() as u64,
            })
            .collect();
        let text = describe(command, args);
        if std::env::var_os("LAB_TRACE").is_some() {
            eprintln!("{text}");
        }
        let result = self.invoke(command, &words);
        let driver = self.error();
        self.called += 1;
        self.apply(command, &words, args, &written, result);
        let context = Arc::make_mut(self.model.contexts[1].as_mut().expect("a context"));
        let fault = context.error.take();
        let model = fault.map_or(0, |fault| fault.error);
        let name = api::command(command).name;
        if driver != model {
            let why = fault.map_or("", |fault| fault.why);
            let key = format!("{name}: driver {driver:#x}, model {model:#x} {why}");
            self.differs(key, text.clone());
        }
        self.log.push(format!("{text} -> {driver:#x}"));
        (result, written)
    }

    /// Makes a query to both; `words` are all arguments but the last, which is the memory.
    pub fn ask(&mut self, command: CommandId, words: &[u32]) {
        let described = api::command(command);
        self.asked += 1;
        let mut memory = vec![0xA5u8; 256];
        let mut args: Vec<u64> = words.iter().map(|word| i64::from(word.cast_signed()) as u64).collect();
        for (arg, word) in args.iter_mut().zip(words) {
            *arg = u64::from(*word);
        }
        let returns = described.result.scalar != Scalar::Void;
        if !returns {
            args.push(memory.as_mut_ptr() as u64);
        }
        let result = self.invoke(command, &args);
        let driver = self.error();
        let view = self.model.view(1).expect("a context");
        let text = format!(
            "{}({})",
            described.name,
            words.iter().map(|word| format!("{word:#x}")).collect::<Vec<_>>().join(", ")
        );
        let last = words.last().copied().unwrap_or(0);
        let answer = view.answer(command, &args);
        let (scalar, found) = if returns {
            (described.result.scalar, result.to_le_bytes().to_vec())
        } else {
            (described.params[described.params.len() - 1].value.scalar, memory)
        };
        let scalar = if scalar == Scalar::Pointer { pointee(described.name) } else { scalar };
        let difference = match answer {
            None => Some("the model has no answer".to_owned()),
            Some(Err(fault)) if fault.error == driver => None,
            Some(Err(fault)) => Some(format!("driver {driver:#x}, model {:#x} {}", fault.error, fault.why)),
            Some(Ok(answer)) if matches!(answer.values, Values::Unknown(_)) => None,
            Some(Ok(_)) if driver != 0 => Some(format!("driver {driver:#x}, model answers")),
            Some(Ok(answer)) => match answer.bytes(scalar, &mut |_, name| name) {
                None => match answer.values {
                    Values::Unknown(_) => None,
                    _ => Some("the model's answer has a different type".to_owned()),
                },
                Some(bytes) => {
                    let padded = bytes.len();
                    let canary = returns || found[padded..].iter().take(4).all(|byte| *byte == 0xA5);
                    (found[..padded] != bytes[..] || !canary).then(|| {
                        format!("driver {}, model {}", show(&found, padded, scalar), show(&bytes, padded, scalar))
                    })
                }
            },
        };
        if let Some(difference) = difference {
            // Wrong values are grouped by query, wrong errors by error.
            let values = difference.contains(", model 0x") && driver == 0 && !difference.contains("0x50");
            let what = if values { format!("{last:#x}") } else { difference.clone() };
            let key = format!("{}: {what}", described.name);
            self.differs(key, format!("{text}: {difference}"));
        }
    }

    pub fn differs(&mut self, key: String, text: String) {
        let shown = std::env::var("LAB_LOG").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
        let recent: Vec<_> = self.log.iter().rev().take(shown).rev().cloned().collect();
        let entry = self.differences.entry(key).or_insert_with(|| {
            let mut all = text;
            for line in recent {
                let _ = write!(all, "\n        {line}");
            }
            (0, all)
        });
        entry.0 += 1;
    }

    /// Fails with all differences.
    pub fn finish(self) {
        println!("{:?}: {} calls, {} queries", self.kind, self.called, self.asked);
        if self.differences.is_empty() {
            return;
        }
        let mut text = String::new();
        let mut all: Vec<_> = self.differences.iter().collect();
        all.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for (key, (count, first)) in all {
            let _ = writeln!(text, "{count} x {key}\n    {first}");
        }
        panic!("{:?}: the model and the driver differ:\n{text}", self.kind);
    }
}

fn show(bytes: &[u8], size: usize, scalar: Scalar) -> String {
    let words = bytes[..size.min(bytes.len())].chunks(4).map(|word| {
        let mut four = [0; 4];
        four[..word.len()].copy_from_slice(word);
        let word = u32::from_le_bytes(four);
        if scalar == Scalar::F32 { format!("{}", f32::from_bits(word)) } else { format!("{word:#x}") }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the type that a query writes, by its name: descriptions give it only for memory of known size.
fn pointee(name: &str) -> Scalar {
    let name = name.trim_end_matches("EXT").trim_end_matches("OES");
    if name.ends_with("fv") || name.ends_with("Floatv") {
        Scalar::F32
    } else if name.ends_with("Iuiv") {
        Scalar::U32
    } else if name.ends_with("Booleanv") {
        Scalar::U8
    } else {
        Scalar::I32
    }
}

fn describe(command: CommandId, args: &[Arg]) -> String {
    let args = args.iter().map(|arg| match arg {
        Arg::Word(word) => format!("{:#x}", *word as u32),
        Arg::In(bytes) => format!("[{}]", show(bytes, bytes.len().min(16), Scalar::I32)),
        Arg::Out(size) => format!("out {size}"),
    });
    format!("{}({})", api::command(command).name, args.collect::<Vec<_>>().join(", "))
}

/// Pseudo-random numbers that are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % end.max(1) as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// Runs a check in its own process, which is this program with one test: Mesa sometimes crashes in `glTexImage2D` if
/// contexts of other tests were in the same process before.
pub fn alone(test: &str, check: impl FnOnce()) {
    if std::env::var_os("LAB_ALONE").is_some() {
        return check();
    }
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = std::process::Command::new(program);
    let status = command.args([test, "--exact", "--nocapture"]).env("LAB_ALONE", "1").status();
    assert!(status.expect("this program can be started").success(), "{test} fails alone");
}

/// Returns the number of rounds, each with another seed: 1, or the value of `LAB_ROUNDS`.
pub fn rounds() -> u64 {
    std::env::var("LAB_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}
