//! What `afterimage report` says.

use std::collections::BTreeMap;
use std::fmt::Write;

use api::{CommandId, Library};
use chronicle::audit::{Audit, ErrorDifference};
use device::report::Findings;
use trace::Reader;

use crate::amount::plural;
use crate::dump::line::{self, Style};
use crate::json::{findings, report};

/// How many of a kind are shown; `--json` has all.
const SHOWN: usize = 20;

/// For people.
pub fn text(reader: &Reader, audit: &Audit, examined: Option<&Findings>) -> String {
    let mut page = String::new();
    // Writing to a string does not fail.
    let _ = write_text(&mut page, reader, audit, examined);
    page
}

fn write_text(
    out: &mut String,
    reader: &Reader,
    audit: &Audit,
    examined: Option<&Findings>,
) -> Result<(), std::fmt::Error> {
    if audit.refused.is_empty() {
        writeln!(out, "No call was refused by GL.")?;
    } else {
        let refused = audit.refused.len();
        writeln!(
            out,
            "{} refused by GL:",
            if refused == 1 { "1 call is".to_owned() } else { format!("{refused} calls are") }
        )?;
        let mut kinds: BTreeMap<(&str, u32, &str), (u64, u64)> = BTreeMap::new();
        for (number, command, fault) in &audit.refused.first {
            kinds.entry((api::command(*command).name, fault.error, fault.why)).or_insert((0, *number)).0 += 1;
        }
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_by_key(|(_, (_, first))| *first);
        for ((_, error, why), (times, first)) in kinds.iter().take(SHOWN) {
            let again = if *times > 1 { format!(", and {} more like it", times - 1) } else { String::new() };
            writeln!(out, "  {}", call_text(reader, *first))?;
            writeln!(out, "      {}: {why}{again}", error_name(*error))?;
        }
        more(out, kinds.len() as u64)?;
    }
    let errors = &audit.errors;
    if !errors.missed.is_empty() || !errors.invented.is_empty() {
        writeln!(out, "The program was told other errors than the model expects:")?;
        for difference in errors.missed.first.iter().chain(&errors.invented.first).take(SHOWN) {
            writeln!(out, "  {}", error_text(difference))?;
        }
        more(out, errors.missed.len() + errors.invented.len())?;
    }
    if !audit.contradicted.is_empty() {
        writeln!(
            out,
            "{} of {} queries of the program were answered otherwise than the model does:",
            audit.contradicted.len(),
            audit.asked
        )?;
        for found in audit.contradicted.first.iter().take(SHOWN) {
            writeln!(out, "  {}\n      model: {:?}", call_text(reader, found.command), found.model.values)?;
        }
        more(out, audit.contradicted.len())?;
    }
    if !audit.unmodelled.is_empty() {
        writeln!(out, "Commands that the model does not know, so that it may be wrong after them:")?;
        for (command, (times, first)) in &audit.unmodelled {
            writeln!(out, "  {} ({}, first at {first})", api::command(*command).name, plural(*times, "call"))?;
        }
    }
    if let Some(findings) = examined {
        writeln!(
            out,
            "Driver and model, at {}: {} questions, {} equal, {} different, {} unknown for want of facts in the trace",
            plural(findings.places, "command"),
            findings.asked,
            findings.equal,
            findings.different(),
            findings.unknown
        )?;
        let texels = &findings.texels;
        writeln!(
            out,
            "Texels in the trace and in the driver: {} compared, {} equal; {} more only a driver knows, {} undefined, {} have another form",
            texels.compared, texels.equal, texels.by_gpu, texels.undefined, texels.other_form
        )?;
        let mut kinds: Vec<_> = findings.differences.values().collect();
        kinds.sort_by_key(|finding| std::cmp::Reverse(finding.times));
        for finding in kinds.iter().take(SHOWN) {
            writeln!(out, "  {:6} x  after {}: {}", finding.times, finding.command, finding.text)?;
        }
        more(out, kinds.len() as u64)?;
    }
    Ok(())
}

fn more(out: &mut String, kinds: u64) -> Result<(), std::fmt::Error> {
    let shown = SHOWN as u64;
    if kinds > shown { writeln!(out, "  and {} more (--json lists them)", kinds - shown) } else { Ok(()) }
}

/// For programs.
pub fn document<'a>(audit: &Audit, examined: Option<&'a Findings>) -> report::Document<'a> {
    let name = |command: CommandId| api::command(command).name;
    let difference = |difference: &ErrorDifference| report::ErrorDifference {
        command: difference.command,
        model: error_name(difference.expected),
        recorded: error_name(difference.recorded),
        before: difference.before.map(|(number, command)| report::Call { command: number, name: name(command) }),
        blamed: difference.blamed.map(|(number, fault)| report::Blamed { command: number, why: fault.why }),
    };
    let refused = audit.refused.first.iter().map(|(number, command, fault)| report::Refused {
        command: *number,
        name: name(*command),
        error: error_name(fault.error),
        why: fault.why,
    });
    let contradicted = audit.contradicted.first.iter().map(|found| report::Contradicted {
        command: found.command,
        query: name(found.query),
        model: format!("{:?}", found.model.values),
    });
    let unmodelled = audit.unmodelled.iter().map(|(command, (calls, first))| report::Unmodelled {
        name: name(*command),
        calls: *calls,
        first: *first,
    });
    let errors = &audit.errors;
    report::Document {
        refused: refused.collect(),
        errors: report::Errors {
            none: errors.none,
            same: errors.same,
            missed: errors.missed.first.iter().map(difference).collect(),
            invented: errors.invented.first.iter().map(difference).collect(),
        },
        queries: report::Queries { asked: audit.asked, contradicted: contradicted.collect() },
        left_out: audit.refused.more + errors.missed.more + errors.invented.more + audit.contradicted.more,
        unmodelled: unmodelled.collect(),
        driver: examined.map(findings::Findings::new),
    }
}

fn error_text(difference: &ErrorDifference) -> String {
    let blame = difference
        .blamed
        .map_or(String::new(), |(number, fault)| format!(", because of command {number}: {}", fault.why));
    format!(
        "glGetError at {}: the program was told {}, the model expects {}{blame}",
        difference.command,
        error_name(difference.recorded),
        error_name(difference.expected),
    )
}

fn call_text(reader: &Reader, number: u64) -> String {
    match reader.call_at(number) {
        Ok(held) => {
            let style = Style::default();
            format!("{number}  {}", line::text(reader, &held.call(), &style))
        }
        Err(error) => error.to_string(),
    }
}

fn error_name(error: u32) -> String {
    match error {
        0 => "GL_NO_ERROR".to_owned(),
        _ => api::enums::any_name(Library::Gl, i64::from(error)).map_or_else(|| format!("{error:#x}"), str::to_owned),
    }
}
