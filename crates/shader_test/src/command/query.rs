//! Commands that query the program or a query object.

use super::{Command, enumerant, stage};
use crate::scan::Scan;

/// A query with the expected answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// `glGetActiveUniformsiv`: name, property and answer.
    Uniform(String, String, Answer),
    /// `glGetProgramiv`.
    Program(String, Answer),
    /// `glGetProgramResourceiv`: interface, name, property and answer.
    Resource(String, String, String, Answer),
    /// The result of the last `xfb draw arrays`.
    Object(String, u32),
}

/// The expected answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A number.
    Number(i64),
    /// An enumerant.
    Name(String),
}

pub(super) fn read(scan: &mut Scan<'_>) -> Option<Command> {
    let query = if scan.words("active shader program") {
        return Some(Command::ActiveProgram(stage(scan.word()?)?));
    } else if scan.words("active uniform") {
        Query::Uniform(scan.word()?.to_owned(), enumerant(scan)?, answer(scan)?)
    } else if scan.words("verify program_query") {
        Query::Program(enumerant(scan)?, answer(scan)?)
    } else if scan.words("verify program_interface_query") {
        Query::Resource(enumerant(scan)?, scan.word()?.to_owned(), enumerant(scan)?, answer(scan)?)
    } else if scan.words("verify query_object") {
        Query::Object(enumerant(scan)?, scan.index()?)
    } else {
        return None;
    };
    Some(Command::Query(query))
}

fn answer(scan: &mut Scan<'_>) -> Option<Answer> {
    if scan.rest().starts_with("GL_") {
        return Some(Answer::Name(enumerant(scan)?));
    }
    Some(Answer::Number(i64::try_from(scan.int()?).ok()?))
}
