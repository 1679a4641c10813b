//! The model and a real driver, side by side: both get the same calls and queries.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use api::call::{CallMemory as Slice, PointerArgument};
use api::{CommandId, Scalar};
use state::Values;
use testing::model::CallMemory;
use testing::twin::{ADDRESS, ContextKind, Twin};

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
    pub twin: Twin,
    pub kind: ContextKind,
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

impl Lab {
    /// Creates a context with a window of 64 by 48 pixels.
    #[track_caller]
    pub fn new(kind: ContextKind) -> Lab {
        let twin = Twin::new(kind, (64, 48));
        Lab { twin, kind, differences: BTreeMap::new(), log: Vec::new(), asked: 0, called: 0 }
    }

    /// Returns an integer parameter of the driver; `None` if it has none of that name.
    pub fn integer(&self, name: u32) -> Option<i64> {
        self.twin.integers(name, 1).map(|numbers| numbers[0])
    }

    /// Makes a call to both; their errors must be the same.
    pub fn call(&mut self, command: CommandId, args: &[Arg]) -> (u64, Vec<Vec<u8>>) {
        let args = &one_too_large(args);
        let mut written: Vec<Vec<u8>> = args
            .iter()
            .map(|arg| match arg {
                Arg::Out(size) => vec![0; *size],
                _ => Vec::new(),
            })
            .collect();
        let words: Vec<u64> = args
            .iter()
            .map(|arg| match arg {
                Arg::Word(word) => *word,
                Arg::In(_) | Arg::Out(_) => ADDRESS,
            })
            .collect();
        let mut pointers = Vec::new();
        for (param, (arg, written)) in (0..).zip(args.iter().zip(&mut written)) {
            match arg {
                Arg::Word(_) => {}
                Arg::In(bytes) => pointers.push(PointerArgument { param, memory: Slice::Input(bytes) }),
                Arg::Out(_) => pointers.push(PointerArgument { param, memory: Slice::Output(written) }),
            }
        }
        let text = describe(command, args);
        if std::env::var_os("LAB_TRACE").is_some() {
            eprintln!("{text}");
        }
        let result = self.twin.real_with(command, &words, &mut pointers);
        let driver = self.twin.real_error();
        self.called += 1;
        let mut memory = CallMemory::default();
        for (param, (arg, written)) in (0..).zip(args.iter().zip(&written)) {
            match arg {
                Arg::Word(_) => {}
                Arg::In(bytes) => memory.inputs.push((param, bytes.clone())),
                Arg::Out(_) => memory.outputs.push((param, written.clone())),
            }
        }
        self.twin.tell(command, &words, &memory, result);
        let context = Arc::make_mut(self.twin.model.contexts[1].as_mut().expect("a context"));
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
        let result = if returns {
            self.twin.real(command, &args)
        } else {
            let result = self.twin.real_writing(command, &args, &mut memory);
            args.push(ADDRESS);
            result
        };
        let driver = self.twin.real_error();
        let view = self.twin.view();
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

/// A size that no driver supports.
pub const TOO_LARGE: i64 = 40000;

/// Returns arguments of which at most one is [`TOO_LARGE`]: crate `driver` makes no call that accesses gigabytes.
fn one_too_large(args: &[Arg]) -> Vec<Arg> {
    let mut found = false;
    let reduced = |arg: &Arg| match arg {
        Arg::Word(word) if *word == TOO_LARGE as u64 && std::mem::replace(&mut found, true) => Arg::Word(8),
        other => other.clone(),
    };
    args.iter().map(reduced).collect()
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
