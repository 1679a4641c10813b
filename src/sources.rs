//! `afterimage sources`: the texts of all shaders.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use afterimage::survey::{self, Survey, Text, pieces};
use anyhow::{Context, bail};
use state::annotation::quoted;
use trace::Reader;

use crate::amount::count;
use crate::cli::{Outcome, complain};
use crate::info;
use crate::json::{self, sources};
use crate::out;
use crate::out::shell_quoted;

const HELP: &str = "\
Examples:
  afterimage sources game.aftr                     all texts, each with a comment that says whose it is
  afterimage sources game.aftr --program 16        those that program 16 was linked from, as `info` numbers them
  afterimage sources game.aftr -o shaders          one file for each: shaders/command-123-shader-15.frag
  afterimage sources game.aftr --json              everything

Files are named by numbers of the trace, never by texts in it, and none is overwritten. They have the bytes that the program
passed to GL. A shader that was given another text appears once for each.

Exit status: 0 done, 1 the trace has no such text, 2 the request could not be served.";

/// Print the texts of all shaders, or write them to files.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Print only the shaders of this program.
    #[arg(long, value_name = "N")]
    program: Option<u32>,
    /// Write each text to a file of its own in this folder, which is created if it is not there.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
}

/// Prints or writes the texts.
///
/// # Errors
/// When the trace or a text in it cannot be read, or a file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let reader = Reader::open(&args.trace, api::COMMANDS)?;
    let survey = info::survey(&reader, survey::Draws::Counted)?;
    let of_program = |text: &&Text| {
        args.program.is_none_or(|wanted| text.programs.iter().any(|place| survey.programs[*place].name == wanted))
    };
    let wanted: Vec<&Text> = survey.texts.iter().filter(of_program).collect();
    if let Some(program) = args.program.filter(|_| wanted.is_empty())
        && survey.programs.iter().all(|known| known.name != program)
    {
        bail!("the trace has no program {program}; `afterimage info {}` lists them", shell_quoted(&args.trace));
    }
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    }
    let mut out = out::text();
    let mut outcome = if wanted.is_empty() { Outcome::No } else { Outcome::Done };
    let mut documents = Vec::new();
    for (number, text) in wanted.iter().enumerate() {
        let Some(bytes) = read(&reader, text) else {
            complain(&format!("the text that command {} gave is lost", text.command));
            outcome = Outcome::Unserved;
            continue;
        };
        let words = String::from_utf8_lossy(&bytes);
        let file = match &args.output {
            Some(folder) => Some(write(folder, text, &bytes)?),
            None => None,
        };
        if args.json {
            documents.push(document(&survey, text, &words, file.as_deref()));
        } else if let Some(file) = file {
            writeln!(out, "{}: {}", file.display(), title(&survey, text, &words))?;
        } else {
            let comment = if text.assembly { "#" } else { "//" };
            let gap = if number == 0 { "" } else { "\n" };
            writeln!(out, "{gap}{comment} {}\n{}", title(&survey, text, &words), words.trim_end_matches('\n'))?;
        }
    }
    if args.json {
        json::print(&sources::Document { sources: documents })?;
    } else if wanted.is_empty() {
        let program = args.program.map_or(String::new(), |program| format!(" for program {program}"));
        let generated =
            if program.is_empty() { "; `inspect` and `debug` show those that replace fixed functions" } else { "" };
        writeln!(out, "The recorded program gave GL no shader texts{program}{generated}.")?;
    }
    out.flush()?;
    Ok(outcome)
}

/// Reads a text as the driver got it: the pieces of `glShaderSource` one after the other. Nothing if it is lost.
fn read(reader: &Reader, text: &Text) -> Option<Vec<u8>> {
    let held = reader.call_at(text.command).ok()?;
    Some(pieces(reader, &held.call(), text.param)?.concat())
}

/// What a text is: the comment above it.
fn title(survey: &Survey, text: &Text, words: &str) -> String {
    let who = match (text.shader, text.assembly) {
        (Some(name), true) => format!("assembly program {name} ({})", text.stage),
        (Some(name), false) => format!("shader {name}{} ({})", quoted(text.label.as_deref()), text.stage),
        (None, _) => format!("{} shader without a name", text.stage),
    };
    let named = |place: &usize| {
        let program = &survey.programs[*place];
        format!("{}{}", program.name, quoted(program.label.as_deref()))
    };
    let mut programs: Vec<String> = text.programs.iter().map(named).collect();
    programs.dedup();
    let of = match programs.len() {
        0 => String::new(),
        1 => format!(" of program {}", programs[0]),
        _ => format!(" of programs {}", programs.join(", ")),
    };
    format!("{who}{of}, given by command {}, {}", text.command, count(words.lines().count() as u64, "line"))
}

/// Writes a text to a new file whose name has nothing from the trace but numbers.
fn write(folder: &Path, text: &Text, bytes: &[u8]) -> anyhow::Result<PathBuf> {
    let ending = match (text.assembly, text.stage.as_str()) {
        (true, "vertex") => "vp",
        (true, _) => "fp",
        (false, "vertex") => "vert",
        (false, "tess_control") => "tesc",
        (false, "tess_evaluation") => "tese",
        (false, "geometry") => "geom",
        (false, "fragment") => "frag",
        (false, "compute") => "comp",
        (false, _) => "glsl",
    };
    let shader = text.shader.map_or(String::new(), |name| format!("-shader-{name}"));
    let file = folder.join(format!("command-{}{shader}.{ending}", text.command));
    // A new file, so that a link that lies there leads nowhere.
    let opened = OpenOptions::new().write(true).create_new(true).open(&file);
    let mut opened = match opened {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{} already exists; remove it, or choose another folder", file.display())
        }
        opened => opened.with_context(|| format!("{} cannot be written", file.display()))?,
    };
    opened.write_all(bytes).with_context(|| format!("{} cannot be written", file.display()))?;
    Ok(file)
}

fn document(survey: &Survey, text: &Text, words: &str, file: Option<&Path>) -> sources::Source {
    let mut programs: Vec<u32> = text.programs.iter().map(|place| survey.programs[*place].name).collect();
    programs.dedup();
    sources::Source {
        command: text.command,
        shader: text.shader,
        label: text.label.clone(),
        stage: text.stage.clone(),
        language: if text.assembly { "assembly" } else { "glsl" },
        context: text.context,
        programs,
        lines: words.lines().count(),
        file: file.map(|file| file.display().to_string()),
        text: file.is_none().then(|| words.to_owned()),
    }
}
