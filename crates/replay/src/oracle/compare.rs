//! Makes a query to the driver and to the model.

use api::{Library, Meaning, Scalar, constant as c, id};
use state::{Answer, Values, View};

use super::finding::is_excluded;
use super::{Oracle, Question, Said};
use crate::player::Player;

impl Oracle {
    /// Compares the error that is pending for the program.
    pub(super) fn compare_error(&mut self, player: &mut Player, view: &View<'_>, command: u64) {
        let real = player.first_error();
        let model = view.context.error.map_or(c::GL_NO_ERROR, |fault| fault.error);
        self.findings.asked += 1;
        if real == model {
            self.findings.equal += 1;
        } else {
            let why = view.context.error.map_or("", |fault| fault.why);
            self.findings.differ(api::command(id::glGetError).name, command, || {
                format!("glGetError: driver {}, model {} {why}", error_name(real), error_name(model))
            });
        }
    }

    pub(super) fn compare(&mut self, player: &mut Player, view: &View<'_>, question: &Question, command: u64) {
        if is_excluded(view, question) {
            return;
        }
        let said = player.ask(question);
        // Mesa leaves some answers out, such as depth ranges as booleans: no error, and nothing written.
        let silent = matches!(&said, Said::Answered { outputs, .. }
            if !outputs.is_empty() && outputs.iter().all(|(_, bytes)| bytes.is_empty()));
        if said == Said::Missing || silent {
            return;
        }
        self.findings.asked += 1;
        let answer = view.answer_with(question.command, &question.args, question);
        let equal = match (&said, &answer) {
            (Said::Refused(error), Some(Err(fault))) => *error == fault.error,
            (_, Some(Ok(Answer { values: Values::Unknown(_), .. }))) => {
                self.findings.unknown += 1;
                return;
            }
            (Said::Answered { result, outputs }, Some(Ok(answer))) => {
                agree(player, question, (*result, outputs.as_slice()), answer)
            }
            _ => false,
        };
        if equal {
            self.findings.equal += 1;
        } else {
            let text = || {
                let model = match &answer {
                    None => "nothing: it does not know this query".to_owned(),
                    Some(Err(fault)) => format!("{} ({})", error_name(fault.error), fault.why),
                    Some(Ok(answer)) => values_text(&answer.values),
                };
                format!("{}: driver {}, model {model}", written(question), said_text(question, &said))
            };
            let name = if answer.is_none() { api::command(question.command).name.to_owned() } else { kind(question) };
            self.findings.differ(&name, command, text);
        }
    }
}

/// Returns whether the driver's answer equals the model's.
fn agree(player: &mut Player, question: &Question, said: (u64, &[(u8, Vec<u8>)]), answer: &Answer) -> bool {
    let (result, outputs) = said;
    let outputs: Vec<(u8, &[u8])> = outputs.iter().map(|(param, bytes)| (*param, bytes.as_slice())).collect();
    answer.agrees(question.command, result, &outputs, &mut |space, name| player.known_name(space, name))
}

/// The type that a query writes.
fn element(question: &Question, param: u8) -> Scalar {
    let memory = api::command(question.command).params.get(usize::from(param)).and_then(|param| param.memory);
    memory.map_or(Scalar::Void, |memory| memory.element.scalar)
}

/// Returns the key of a kind of question: the query and the names in it.
fn kind(question: &Question) -> String {
    let about = api::command(question.command);
    let mut text = about.name.to_owned();
    for (param, word) in about.params.iter().zip(&question.args) {
        if let Meaning::Enum(group) = param.value.meaning {
            let name = api::enums::name(Library::Gl, group, word.cast_signed());
            text.push(' ');
            text.push_str(name.map_or(&format!("{word:#x}"), |name| name));
        }
    }
    text
}

/// A question as it would be written in a program.
fn written(question: &Question) -> String {
    let about = api::command(question.command);
    let args: Vec<String> = about
        .params
        .iter()
        .zip(&question.args)
        .filter(|(param, _)| param.memory.is_none())
        .map(|(param, word)| match param.value.meaning {
            Meaning::Enum(group) => api::enums::name(Library::Gl, group, word.cast_signed())
                .map_or_else(|| format!("{word:#x}"), str::to_owned),
            _ => word.to_string(),
        })
        .collect();
    let text = question.text.as_ref().map_or(String::new(), |(_, text)| format!(", {text:?}"));
    format!("{}({}{text})", about.name, args.join(", "))
}

/// Returns the model's values as [`said_text`] writes the driver's.
fn values_text(values: &Values) -> String {
    match values {
        Values::Numbers(numbers) => format!("[{}]", numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")),
        Values::Long(numbers) => format!("{numbers:?}"),
        Values::Text(text) => format!("{text:?}"),
        Values::Pointer(address) => format!("{address:#x}"),
        Values::Outputs(several) => {
            several.iter().map(|(_, answer)| values_text(&answer.values)).collect::<Vec<_>>().join(" ")
        }
        Values::Unknown(why) => format!("unknown, {why}"),
    }
}

fn said_text(question: &Question, said: &Said) -> String {
    match said {
        Said::Missing => "nothing".to_owned(),
        Said::Refused(error) => error_name(*error),
        Said::Answered { result, outputs } if outputs.is_empty() => format!("{result}"),
        Said::Answered { outputs, .. } => {
            let texts: Vec<String> = outputs
                .iter()
                .map(|(param, bytes)| {
                    let scalar = element(question, *param);
                    let shown = &bytes[..bytes.len().min(128)];
                    match scalar {
                        Scalar::F32 => format!("{:?}", words(shown).map(f32::from_bits).collect::<Vec<_>>()),
                        Scalar::F64 => format!("{:?}", longs(shown).map(f64::from_bits).collect::<Vec<_>>()),
                        Scalar::I64 => format!("{:?}", longs(shown).map(u64::cast_signed).collect::<Vec<_>>()),
                        Scalar::I32 => format!("{:?}", words(shown).map(u32::cast_signed).collect::<Vec<_>>()),
                        Scalar::U32 => format!("{:?}", words(shown).collect::<Vec<_>>()),
                        Scalar::I8 => format!("{:?}", String::from_utf8_lossy(shown)),
                        _ => format!("{shown:?}"),
                    }
                })
                .collect();
            texts.join(" ")
        }
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()))
}

fn longs(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()))
}

fn error_name(error: u32) -> String {
    match error {
        c::GL_NO_ERROR => "no error".to_owned(),
        _ => api::enums::any_name(Library::Gl, i64::from(error)).map_or_else(|| format!("{error:#x}"), str::to_owned),
    }
}
