//! `record --redact` and `trim --strip`: what of a call's memory does not go to the trace. docs/privacy.md describes this to
//! users.

use std::borrow::Cow;

use api::{Access, CommandId, Count, Meaning, Memory, Role, Scalar, id};

/// Parameters that are names, though they point to bytes.
const NAMES: [&str; 2] = ["name", "procName"];

/// What a trace says about itself, after the command that redacted it.
pub const NOTICE: &str = "the contents of buffers and textures are zeros, and labels and the command line are left out";

/// What is written in place of the characters of a label.
const MASK: u8 = b'*';

/// Returns what to store of memory that a command reads: as many bytes as there are, so that the trace can be replayed,
/// except for the command line.
#[must_use]
pub fn input<'a>(command: CommandId, param: u8, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    if command == id::afiProcess {
        // Of the program's path, its name; nothing of its arguments and its directory.
        let name = bytes.iter().rposition(|byte| *byte == b'/').map_or(bytes, |slash| &bytes[slash + 1..]);
        return Cow::Borrowed(if param == 1 { name } else { &[] });
    }
    let Some(memory) = memory(command, param) else { return Cow::Borrowed(bytes) };
    let is_name = api::command(command).params.get(usize::from(param)).is_some_and(|param| NAMES.contains(&param.name));
    if is_label(command) && memory.access != Access::Write {
        Cow::Owned(vec![MASK; bytes.len()])
    } else if is_list_of_contents(command, memory) {
        Cow::Owned(blank_list(bytes))
    } else if is_contents(command, memory) && !is_name {
        Cow::Owned(vec![0; bytes.len()])
    } else {
        Cow::Borrowed(bytes)
    }
}

/// Returns whether memory that a command has written is stored.
#[must_use]
pub fn keeps_output(command: CommandId, param: u8) -> bool {
    memory(command, param).is_some_and(|memory| !is_contents(command, memory) && !is_label(command))
}

/// Returns whether input is stored as it is, whatever its bytes are.
#[must_use]
pub fn keeps_input(command: CommandId, param: u8) -> bool {
    // No byte of what is replaced or left out is a 1.
    *input(command, param, &[1]) == [1] && command != id::afiProcess
}

fn memory(command: CommandId, param: u8) -> Option<Memory> {
    api::COMMANDS.get(usize::from(command.0))?.params.get(usize::from(param))?.memory
}

/// Returns whether memory is the contents of a buffer, a texture or an array: they have no type in GL. Neither have what the
/// driver reports about objects, shaders and programs, and names of display lists.
fn is_contents(command: CommandId, memory: Memory) -> bool {
    is_untyped(memory)
        && !matches!(
            command,
            id::afiLimits
                | id::afiShader
                | id::afiProgram
                | id::afiAssembly
                | id::glShaderBinary
                | id::glProgramBinary
                | id::glProgramBinaryOES
                | id::glCallLists
        )
}

/// Returns whether memory is `void` or bytes, other than a few of fixed number, such as a colour.
fn is_untyped(memory: Memory) -> bool {
    let is_bytes = memory.element.scalar == Scalar::U8 && memory.element.meaning == Meaning::Number;
    is_bytes && !matches!(memory.count, Count::Fixed(_))
}

/// Returns whether memory is a list of pointers to contents, recorded as sizes and bytes.
fn is_list_of_contents(command: CommandId, memory: Memory) -> bool {
    memory.element.scalar == Scalar::Pointer && api::command(command).role == Role::Draw
}

fn blank_list(bytes: &[u8]) -> Vec<u8> {
    let mut blank = vec![0; bytes.len()];
    let mut at = 0;
    while let Some(size) = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()) {
        blank[at..at + 4].copy_from_slice(size);
        at = at.saturating_add(4).saturating_add(u32::from_le_bytes(*size) as usize);
    }
    blank
}

/// Returns whether a command passes a text that the program gives its objects and the parts of its frames, or reads it back.
fn is_label(command: CommandId) -> bool {
    matches!(
        command,
        id::glObjectLabel
            | id::glObjectLabelKHR
            | id::glObjectPtrLabel
            | id::glObjectPtrLabelKHR
            | id::glLabelObjectEXT
            | id::glPushDebugGroup
            | id::glPushDebugGroupKHR
            | id::glDebugMessageInsert
            | id::glDebugMessageInsertAMD
            | id::glDebugMessageInsertARB
            | id::glDebugMessageInsertKHR
            | id::glInsertEventMarkerEXT
            | id::glPushGroupMarkerEXT
            | id::glStringMarkerGREMEDY
            | id::glGetObjectLabel
            | id::glGetObjectLabelEXT
            | id::glGetObjectLabelKHR
            | id::glGetObjectPtrLabel
            | id::glGetObjectPtrLabelKHR
            | id::glGetDebugMessageLog
            | id::glGetDebugMessageLogAMD
            | id::glGetDebugMessageLogARB
            | id::glGetDebugMessageLogKHR
    )
}

#[cfg(test)]
mod tests {
    use super::{input, is_untyped, keeps_output, memory};
    use api::Access;

    fn stored(command: &str, param: u8, bytes: &[u8]) -> Vec<u8> {
        input(api::find(command).unwrap(), param, bytes).into_owned()
    }

    #[test]
    fn contents_become_zeros_and_labels_stars() {
        for (command, param) in [("glBufferData", 2), ("glTexSubImage2D", 8), ("glBitmap", 6), ("afiMemory", 3)] {
            assert_eq!(stored(command, param, b"secret"), [0; 6], "{command}");
        }
        for (command, param) in [("glVertexAttribPointer", 5), ("glDrawElements", 3), ("glCompressedTexImage2DARB", 7)]
        {
            assert_eq!(stored(command, param, b"secret"), [0; 6], "{command}");
        }
        for command in ["glObjectLabel", "glObjectLabelKHR", "glPushDebugGroup"] {
            assert_eq!(stored(command, 3, b"secret"), b"******", "{command}");
        }
        assert_eq!(stored("glInsertEventMarkerEXT", 1, b"secret"), b"******");
        assert_eq!(stored("glStringMarkerGREMEDY", 1, b"secret"), b"******");
    }

    #[test]
    fn what_programs_are_is_kept() {
        let kept = [("glShaderSource", 2), ("glGetUniformLocation", 1), ("glUniform4fv", 2), ("glDeleteTextures", 1)];
        let also = [("glShaderBinary", 3), ("glProgramStringARB", 3), ("afiProgram", 2), ("eglCreateContext", 3)];
        for (command, param) in kept.into_iter().chain(also) {
            assert_eq!(stored(command, param, b"secret"), b"secret", "{command}");
        }
    }

    #[test]
    fn of_the_command_line_the_name_of_the_program_is_kept() {
        assert_eq!(stored("afiProcess", 1, b"/home/jane/game"), b"game");
        assert_eq!(stored("afiProcess", 2, b"game --token=1234"), b"");
        assert_eq!(stored("afiProcess", 3, b"/home/jane"), b"");
    }

    #[test]
    fn lists_keep_their_sizes() {
        let list = [&2_u32.to_le_bytes()[..], b"ab", &3_u32.to_le_bytes(), b"cde"].concat();
        let blank = [&2_u32.to_le_bytes()[..], &[0; 2], &3_u32.to_le_bytes(), &[0; 3]].concat();
        assert_eq!(stored("glMultiDrawElements", 3, &list), blank);
        // A list that is cut off, or claims too much.
        assert_eq!(
            stored("glMultiDrawElements", 3, &list[..7]),
            blank[..6].iter().chain(&[0]).copied().collect::<Vec<_>>()
        );
        assert_eq!(stored("glMultiDrawElements", 3, &[255; 9]), [255, 255, 255, 255, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn what_was_read_back_is_left_out() {
        for (command, param) in
            [("glReadPixels", 6), ("glGetTexImage", 4), ("glGetBufferSubData", 3), ("glGetObjectLabel", 4)]
        {
            assert!(!keeps_output(api::find(command).unwrap(), param), "{command}");
        }
        assert!(keeps_output(api::find("glGetIntegerv").unwrap(), 1));
        assert!(keeps_output(api::find("glGetShaderInfoLog").unwrap(), 3));
    }

    #[test]
    fn untyped_memory_is_contents_unless_it_is_listed() {
        let mut kept = Vec::new();
        for (at, command) in api::COMMANDS.iter().enumerate() {
            let id = api::CommandId(at as u16);
            for param in 0..command.params.len() as u8 {
                let untyped = |memory| is_untyped(memory) && memory.access == Access::Read;
                if memory(id, param).is_some_and(untyped) && *input(id, param, b"1") == *b"1" {
                    kept.push(command.name);
                }
            }
        }
        let expected = [
            "afiAssembly",
            "afiLimits",
            "afiProgram",
            "afiShader",
            "glCallLists",
            "glGetProgramNamedParameterdvNV",
            "glGetProgramNamedParameterfvNV",
            "glProgramBinary",
            "glProgramBinaryOES",
            "glProgramNamedParameter4dNV",
            "glProgramNamedParameter4dvNV",
            "glProgramNamedParameter4fNV",
            "glProgramNamedParameter4fvNV",
            "glShaderBinary",
            "glXGetProcAddress",
            "glXGetProcAddressARB",
        ];
        kept.sort_unstable();
        assert_eq!(kept, expected);
    }
}
