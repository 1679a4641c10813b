//! The bytes of what a driver reports about shaders and programs: capture queries and writes, the state model reads.
//!
//! A [`Reflection`] holds what a program can be queried for after linking, in the terms of `glGetProgramResourceiv` (GL
//! 4.6, 7.3.1), even where the driver lacks that query and capture used older ones. [`answers`] is a simpler
//! form, a list of names and values, for contexts, shaders and assembly programs.
//!
//! All numbers are little-endian. Readers validate everything: invalid bytes give [`Unreadable`].

pub mod answers;
mod bytes;
pub mod kind;
pub mod parameters;

use bytes::{Reader, Writer};

/// The first number of a reflection. It changes when the format does.
const VERSION: u32 = 1;

/// What a program can be queried for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reflection {
    /// Whether this is everything. Otherwise it was taken after `glValidateProgram` and has only what that changes:
    /// some `parameters` and the `log`.
    pub whole: bool,
    /// `glGetProgramiv`: names and values. Only `GL_COMPUTE_WORK_GROUP_SIZE` has more than one value.
    pub parameters: Vec<(u32, Vec<i32>)>,
    /// `glGetProgramInfoLog`, without the final zero.
    pub log: Vec<u8>,
    /// `glGetProgramStageiv`: stage, name and value. The name `GL_SHADER_TYPE` marks a stage that the program has;
    /// where no stage is marked, it is not known which stages there are.
    pub stages: Vec<(u32, u32, i32)>,
    /// The active resources, by interface.
    pub interfaces: Vec<Interface>,
    /// `glGetUniform*`: the values of uniforms outside blocks, except those that are zero.
    pub values: Vec<Uniform>,
}

/// An interface of a program: a list of resources.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// `GL_UNIFORM`, `GL_PROGRAM_INPUT` and so on. `GL_ACTIVE_ATTRIBUTES` is the list of `glGetActiveAttrib`, in its
    /// order.
    pub name: u32,
    /// The properties of its resources: `GL_TYPE`, `GL_LOCATION` and so on.
    pub properties: Vec<u32>,
    /// Its resources. The index of a resource is its place here, except for subroutines, whose index is `GL_INDEX`.
    pub resources: Vec<Resource>,
}

/// An active resource of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resource {
    /// Its name; empty for resources without names.
    pub name: Vec<u8>,
    /// One value for each property of the interface.
    pub values: Vec<i32>,
    /// `GL_ACTIVE_VARIABLES` or `GL_COMPATIBLE_SUBROUTINES`, where the interface has one of them.
    pub list: Vec<i32>,
}

/// The value of one element of a uniform, right after linking.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Uniform {
    /// Its location.
    pub location: i32,
    /// Its numbers as in memory, 4 or 8 bytes each, column by column.
    pub bytes: Vec<u8>,
}

/// Bytes that this build cannot decode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unreadable;

impl std::fmt::Display for Unreadable {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(
            "the trace describes a context or program in a form that this build cannot read; it may come from a newer version",
        )
    }
}

impl std::error::Error for Unreadable {}

impl Reflection {
    /// Returns the reflection as bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.word(VERSION);
        out.word(u32::from(self.whole));
        out.count(self.parameters.len());
        for (name, values) in &self.parameters {
            out.word(*name);
            out.integers(values);
        }
        out.text(&self.log);
        out.count(self.stages.len());
        for (stage, name, value) in &self.stages {
            out.word(*stage);
            out.word(*name);
            out.word(value.cast_unsigned());
        }
        out.count(self.interfaces.len());
        for interface in &self.interfaces {
            out.word(interface.name);
            out.count(interface.properties.len());
            interface.properties.iter().for_each(|property| out.word(*property));
            out.count(interface.resources.len());
            for resource in &interface.resources {
                out.text(&resource.name);
                // One for each property, even when the list has more or fewer.
                for at in 0..interface.properties.len() {
                    out.word(resource.values.get(at).copied().unwrap_or(0).cast_unsigned());
                }
                out.integers(&resource.list);
            }
        }
        out.count(self.values.len());
        for uniform in &self.values {
            out.word(uniform.location.cast_unsigned());
            out.text(&uniform.bytes);
        }
        out.bytes
    }

    /// Reads a reflection from bytes.
    ///
    /// # Errors
    /// When the bytes are not a reflection of this version.
    pub fn decode(bytes: &[u8]) -> Result<Reflection, Unreadable> {
        let mut from = Reader { bytes };
        if from.word()? != VERSION {
            return Err(Unreadable);
        }
        let whole = from.word()? & 1 != 0;
        let parameters = from.list(8, |from| Ok((from.word()?, from.integers()?)))?;
        let log = from.text()?;
        let stages = from.list(12, |from| Ok((from.word()?, from.word()?, from.integer()?)))?;
        let interfaces = from.list(12, |from| {
            let name = from.word()?;
            let properties = from.list(4, Reader::word)?;
            let resources = from.list(8, |from| {
                let name = from.text()?;
                let values = properties.iter().map(|_| from.integer()).collect::<Result<_, _>>()?;
                Ok(Resource { name, values, list: from.integers()? })
            })?;
            Ok(Interface { name, properties, resources })
        })?;
        let values = from.list(8, |from| Ok(Uniform { location: from.integer()?, bytes: from.text()? }))?;
        Ok(Reflection { whole, parameters, log, stages, interfaces, values })
    }

    /// An interface by its name; nothing when it was not asked for.
    #[must_use]
    pub fn interface(&self, name: u32) -> Option<&Interface> {
        self.interfaces.iter().find(|interface| interface.name == name)
    }

    /// The first value of a parameter of `glGetProgramiv`; nothing when it was not asked for.
    #[must_use]
    pub fn parameter(&self, name: u32) -> Option<i32> {
        self.parameters.iter().find(|parameter| parameter.0 == name)?.1.first().copied()
    }
}

impl Interface {
    /// A property of a resource; nothing when there is no such resource or the property was not asked for.
    #[must_use]
    pub fn value(&self, resource: usize, property: u32) -> Option<i32> {
        let place = self.properties.iter().position(|known| *known == property)?;
        self.resources.get(resource)?.values.get(place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Reflection {
        Reflection {
            whole: true,
            parameters: vec![(0x8B82, vec![1]), (0x8267, vec![8, 8, 1])],
            log: b"warning".to_vec(),
            stages: vec![(0x8B31, 0x8DE5, 2)],
            interfaces: vec![Interface {
                name: 0x92E1,
                properties: vec![0x92FA, 0x930E],
                resources: vec![Resource { name: b"colour".to_vec(), values: vec![0x8B52, -1], list: vec![3, 4] }],
            }],
            values: vec![Uniform { location: 5, bytes: vec![0, 0, 128, 63] }],
        }
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(Reflection::decode(&example().encode()), Ok(example()));
        assert_eq!(Reflection::decode(&Reflection::default().encode()), Ok(Reflection::default()));
    }

    #[test]
    fn broken_bytes_are_refused_and_do_no_harm() {
        let good = example().encode();
        for length in 0..good.len() {
            assert_eq!(Reflection::decode(&good[..length]), Err(Unreadable), "{length} bytes");
        }
        for at in 0..good.len() {
            for change in [0xFF, 0x80, 0x01] {
                let mut bad = good.clone();
                bad[at] ^= change;
                // Some changes give another reflection; none may take more memory than the bytes can hold.
                let _ = Reflection::decode(&bad);
            }
        }
        assert_eq!(Reflection::decode(&[2, 0, 0, 0]), Err(Unreadable));
    }
}
