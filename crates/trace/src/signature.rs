//! What a trace says of the commands in it, so that it can be read by a build that knows others.

use api::{Access, Command, Meaning, Scalar, Value};

use crate::bytes::{Cut, Malformed, put_number, put_text};

/// No command has more parameters. The largest of the registry has 15.
pub const MAX_PARAMS: usize = 64;

/// All signatures of a file, those that are there twice counted twice, have at most so many bytes. All commands of the
/// registry have a quarter of it.
pub const MAX_SIGNATURES: usize = 4 << 20;

/// One command as recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Its name, such as `glClear`.
    pub name: Box<str>,
    /// What it returns.
    pub result: Recorded,
    /// Its parameters in order.
    pub params: Box<[Parameter]>,
}

/// One parameter as recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Box<str>,
    /// What is passed.
    pub value: Recorded,
    /// What is done with the memory behind it, if there is any.
    pub access: Option<Access>,
}

/// A value: how it is stored, and in words what it means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// How it is stored.
    pub scalar: Scalar,
    /// What it means: a kind, and for some kinds a space and a name. Only people read this.
    pub meaning: Box<str>,
}

/// Commands whose calls the index of a file lists. A file names its commands, so they are known by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// Its calls end frames.
    Frame,
    /// Its calls say what the recording lacks.
    Problem,
}

impl Mark {
    /// That of the command of a name.
    pub(crate) fn of(name: &str) -> Option<Mark> {
        match name {
            "afiPresent" => Some(Mark::Frame),
            "afiProblem" => Some(Mark::Problem),
            _ => None,
        }
    }
}

impl Signature {
    /// Whether the command belongs to no library: capture's own commands are those whose names begin with `afi`, in
    /// files of every build.
    #[must_use]
    pub fn is_of_capture(&self) -> bool {
        self.name.starts_with("afi")
    }

    /// How a command of this build is described.
    pub fn of(command: &Command) -> Self {
        let params = command.params.iter().map(|param| Parameter {
            name: param.name.into(),
            value: Recorded::of(param.value),
            access: param.memory.map(|memory| memory.access),
        });
        Signature { name: command.name.into(), result: Recorded::of(command.result), params: params.collect() }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_text(out, &self.name);
        self.result.write(out);
        put_number(out, self.params.len() as u64);
        for param in &self.params {
            put_text(out, &param.name);
            param.value.write(out);
            out.push(match param.access {
                None => 0,
                Some(Access::Read) => 1,
                Some(Access::Write) => 2,
                Some(Access::Both) => 3,
            });
        }
    }

    pub(crate) fn read(cut: &mut Cut<'_>) -> Result<Self, Malformed> {
        let name = cut.text()?.into();
        let result = Recorded::read(cut)?;
        let count = cut.count()?;
        if count > MAX_PARAMS {
            return Err(Malformed("a command has too many parameters"));
        }
        let mut params = Vec::with_capacity(count);
        for _ in 0..count {
            params.push(Parameter {
                name: cut.text()?.into(),
                value: Recorded::read(cut)?,
                access: match cut.byte()? {
                    0 => None,
                    1 => Some(Access::Read),
                    2 => Some(Access::Write),
                    3 => Some(Access::Both),
                    _ => return Err(Malformed("an access is unknown")),
                },
            });
        }
        Ok(Signature { name, result, params: params.into() })
    }
}

/// Scalars by their code in a file.
const SCALARS: [Scalar; 12] = [
    Scalar::Void,
    Scalar::I8,
    Scalar::U8,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
    Scalar::F32,
    Scalar::F64,
    Scalar::Pointer,
];

impl Recorded {
    fn of(value: Value) -> Self {
        let meaning = match value.meaning {
            Meaning::Number => String::new(),
            Meaning::Boolean => "boolean".to_owned(),
            Meaning::Character => "character".to_owned(),
            Meaning::Enum(group) => format!("enum {}", api::enums::group(group).name),
            Meaning::Bits(group) => format!("bits {}", api::enums::group(group).name),
            Meaning::Name(namespace) => format!("name {namespace:?}"),
        };
        Recorded { scalar: value.scalar, meaning: meaning.into() }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let code = SCALARS.iter().position(|scalar| *scalar == self.scalar).unwrap_or(0);
        out.push(code as u8);
        put_text(out, &self.meaning);
    }

    fn read(cut: &mut Cut<'_>) -> Result<Self, Malformed> {
        let scalar = *SCALARS.get(usize::from(cut.byte()?)).ok_or(Malformed("a scalar is unknown"))?;
        Ok(Recorded { scalar, meaning: cut.text()?.into() })
    }
}
