//! Signatures: the commands as described in the trace, so that builds with other command tables can read it.

use api::{Access, Command, Meaning, Scalar, Value};

use crate::bytes::{ByteReader, Malformed, put_number, put_text};

/// Maximum number of parameters of a command. The largest of the registry has 15.
pub const MAX_PARAMS: usize = 64;

/// Maximum total size in bytes of all signatures of a file, repetitions included. All commands of the registry take a
/// quarter of it.
pub const MAX_SIGNATURES: usize = 4 << 20;

/// One command as recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Its name, such as `glClear`.
    pub name: Box<str>,
    /// What it returns.
    pub result: RecordedType,
    /// Its parameters in order.
    pub params: Box<[Parameter]>,
}

/// One parameter as recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Box<str>,
    /// Its type.
    pub value: RecordedType,
    /// How the memory behind it is accessed, if there is any.
    pub access: Option<Access>,
}

/// The type of a value: its representation and its meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedType {
    /// Its representation.
    pub scalar: Scalar,
    /// Its meaning as text for people: a kind, and for some kinds a space and a name.
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
    /// Returns whether the command belongs to no library: capture's own commands are those whose names begin with `afi`, in
    /// files of every build.
    #[must_use]
    pub fn is_of_capture(&self) -> bool {
        self.name.starts_with("afi")
    }

    /// Returns the signature of a command of this build.
    pub fn of(command: &Command) -> Self {
        let params = command.params.iter().map(|param| Parameter {
            name: param.name.into(),
            value: RecordedType::of(param.value),
            access: param.memory.map(|memory| memory.access),
        });
        Signature { name: command.name.into(), result: RecordedType::of(command.result), params: params.collect() }
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

    pub(crate) fn read(input: &mut ByteReader<'_>) -> Result<Self, Malformed> {
        let name = input.text()?.into();
        let result = RecordedType::read(input)?;
        let count = input.count()?;
        if count > MAX_PARAMS {
            return Err(Malformed("a command has too many parameters"));
        }
        let mut params = Vec::with_capacity(count);
        for _ in 0..count {
            params.push(Parameter {
                name: input.text()?.into(),
                value: RecordedType::read(input)?,
                access: match input.byte()? {
                    0 => None,
                    1 => Some(Access::Read),
                    2 => Some(Access::Write),
                    3 => Some(Access::Both),
                    _ => return Err(Malformed("unknown access")),
                },
            });
        }
        Ok(Signature { name, result, params: params.into() })
    }
}

/// Scalar types by their code in a file.
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

impl RecordedType {
    fn of(value: Value) -> Self {
        let meaning = match value.meaning {
            Meaning::Number => String::new(),
            Meaning::Boolean => "boolean".to_owned(),
            Meaning::Character => "character".to_owned(),
            Meaning::Enum(group) => format!("enum {}", api::enums::group(group).name),
            Meaning::Bits(group) => format!("bits {}", api::enums::group(group).name),
            Meaning::Name(namespace) => format!("name {namespace:?}"),
        };
        RecordedType { scalar: value.scalar, meaning: meaning.into() }
    }

    fn write(&self, out: &mut Vec<u8>) {
        let code = SCALARS.iter().position(|scalar| *scalar == self.scalar).unwrap_or(0);
        out.push(code as u8);
        put_text(out, &self.meaning);
    }

    fn read(input: &mut ByteReader<'_>) -> Result<Self, Malformed> {
        let scalar = *SCALARS.get(usize::from(input.byte()?)).ok_or(Malformed("unknown scalar type"))?;
        Ok(RecordedType { scalar, meaning: input.text()?.into() })
    }
}
