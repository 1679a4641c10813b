//! `cargo xtask bench inspect`: how long shader inspection takes, compared with the draw alone.

mod back;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use super::document;
use super::record::measure::Tools;
use crate::setup;

/// Options of the benchmark.
#[derive(clap::Args)]
pub struct Args {
    /// Number of repetitions; the shortest time counts.
    #[arg(long, default_value_t = 3, value_name = "N")]
    rounds: usize,
    /// Measure only draws whose name contains STR; does not write docs/benchmarks.md.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
}

/// A draw of a program: the one whose fragment shader has this many lines, a pixel of it and a line.
struct Subject {
    name: &'static str,
    command: &'static [&'static str],
    lines: u64,
    pixel: &'static str,
    line: &'static str,
    /// Whether the shader's language has integer outputs.
    integers: bool,
}

const SUBJECTS: &[Subject] = &[
    Subject { name: "deferred, light", command: &["deferred"], lines: 69, pixel: "200,60", line: "60", integers: true },
    Subject { name: "deferred, blur", command: &["deferred"], lines: 16, pixel: "40,30", line: "12", integers: true },
    Subject {
        name: "glmark2 refract",
        command: &["glmark2", "-b", "refract:nframes=20"],
        lines: 61,
        pixel: "400,300",
        line: "42",
        integers: false,
    },
    Subject {
        name: "glmark2 terrain",
        command: &["glmark2", "-b", "terrain:nframes=20"],
        lines: 123,
        pixel: "400,200",
        line: "74",
        integers: false,
    },
    Subject { name: LONG, command: &[], lines: LONG_LINES + 1, pixel: "20,20", line: "100", integers: true },
];

const LONG: &str = "200 statements";

/// `#version`, an output, `main`, its first statement, two hundred more, the last one and a brace. piglit also passes
/// the blank line before the next section to GL.
const LONG_LINES: u64 = 206;

/// Transports of a fragment shader that return a window at a time, and the words per window with eight targets.
const WINDOWS: [(&str, u64); 3] = [("integer", 32), ("float", 16), ("bytes", 1)];

/// The results of a draw.
struct Measured {
    name: &'static str,
    alone: f64,
    value: [f64; 2],
    recording: [f64; 2],
    words: u64,
    runs: u64,
    compiles: u64,
    /// Runs for each of [`WINDOWS`]; `None` if the shader's language has no such outputs.
    windows: Vec<Option<u64>>,
    /// Inspection of its last draws, backwards.
    back: back::Measured,
}

/// Measures everything and writes the table.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure(&["glmark2-x11", "xvfb", "libgl1-mesa-dri", "libegl1"])?;
    let (_display, tools) = Tools::ready("bench-inspect")?;
    let wanted = |subject: &&Subject| args.filter.as_ref().is_none_or(|filter| subject.name.contains(filter.as_str()));
    let mut measured = Vec::new();
    for subject in SUBJECTS.iter().filter(wanted) {
        println!("{}", subject.name);
        measured.push(measure(subject, args, &tools)?);
    }
    let text = table(&measured, args);
    print!("{text}");
    if args.filter.is_none() {
        document::write(&text)?;
    }
    Ok(())
}

fn measure(subject: &Subject, args: &Args, tools: &Tools) -> anyhow::Result<Measured> {
    let trace = tools.folder.join("inspect.aftr");
    record(subject, tools, &trace)?;
    let afterimage = |command: &str, more: &[&str]| -> anyhow::Result<Value> {
        let mut asked = tools.afterimage();
        asked.arg(command).arg(&trace).args(more).arg("--json");
        serde_json::from_str(&tools.run(&mut asked)?.0).context("afterimage did not print JSON")
    };
    let info = afterimage("info", &[])?;
    let at = draw(&info, subject.lines)?;
    let place = ["--at", &at, "--pixel", subject.pixel];
    let mut found = Measured {
        name: subject.name,
        alone: f64::INFINITY,
        value: [f64::INFINITY; 2],
        recording: [f64::INFINITY; 2],
        words: 0,
        runs: 0,
        compiles: 0,
        windows: Vec::new(),
        back: back::measure(&trace)?,
    };
    for _ in 0..args.rounds.max(1) {
        tools.cache_only(&trace)?;
        let value =
            afterimage("inspect", &[&place[..], &["--line", subject.line, "--expr", "1.0", "--times"]].concat())?;
        // Finding the moments of a line has recorded it.
        tools.cache_only(&trace)?;
        let recording = afterimage("inspect", &[&place[..], &["--times"]].concat())?;
        let seconds = |answer: &Value, key: &str| answer["seconds"][key].as_f64().unwrap_or(f64::INFINITY);
        for (best, answer) in [(&mut found.value, &value), (&mut found.recording, &recording)] {
            *best = [best[0].min(seconds(answer, "all")), best[1].min(seconds(answer, "cached"))];
            found.alone = found.alone.min(seconds(answer, "alone"));
        }
        let number = |key: &str| recording[key].as_u64().with_context(|| format!("afterimage did not print {key}"));
        (found.words, found.runs) = (number("words")?, number("runs")?);
        found.compiles = 1 + recording["rejected"].as_array().map_or(0, Vec::len) as u64;
    }
    for (way, window) in WINDOWS {
        if way == "integer" && !subject.integers {
            found.windows.push(None);
            continue;
        }
        let answer = afterimage("inspect", &[&place[..], &["--transport", way]].concat())?;
        let runs = answer["runs"].as_u64().context("afterimage did not print runs")?;
        if runs != found.words.div_ceil(window) {
            bail!("{}: {} words took {runs} runs with windows of {window}", subject.name, found.words);
        }
        found.windows.push(Some(runs));
    }
    if found.compiles > 2 || found.runs != 1 {
        bail!("{}: a recording took {} programs and {} runs", subject.name, found.compiles, found.runs);
    }
    Ok(found)
}

/// Records a program.
fn record(subject: &Subject, tools: &Tools, trace: &Path) -> anyhow::Result<()> {
    if trace.exists() {
        std::fs::remove_file(trace)?;
    }
    let mut command = Command::new(tools.built.join("afterimage"));
    command.args(["record", "--quiet", "--output"]).arg(trace).arg("--");
    if let Some((program, arguments)) = subject.command.split_first() {
        let own = tools.built.join(program);
        command.arg(if own.is_file() { own } else { PathBuf::from(program) }).args(arguments);
    } else {
        setup::ensure_piglit()?;
        let programs = setup::piglit_programs()?;
        let test = tools.folder.join("long.shader_test");
        std::fs::write(&test, long())?;
        command.arg(programs.join("bin/shader_runner")).arg(&test).args(["-auto", "-fbo"]);
        command.env("LD_LIBRARY_PATH", programs.join("lib")).env("PIGLIT_SOURCE_DIR", setup::piglit_dir());
    }
    tools.run(&mut command).map(|_| ())
}

/// Returns a test whose fragment shader has two hundred statements.
fn long() -> String {
    let mut text =
        "[require]\nGLSL >= 3.30\n\n[vertex shader passthrough]\n\n[fragment shader]\n#version 330\nout vec4 \
                    color;\nvoid main() {\nfloat a = gl_FragCoord.x * 0.01;\n"
            .to_owned();
    for number in 0..200 {
        // Writing to memory does not fail.
        let _ = writeln!(text, "a = fract(a * 1.{number:03} + 0.3);");
    }
    text + "color = vec4(a);\n}\n\n[test]\ndraw rect -1 -1 2 2\n"
}

/// Returns the last draw of a program whose fragment shader has this many lines.
fn draw(info: &Value, lines: u64) -> anyhow::Result<String> {
    let none = Vec::new();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let programs = info["programs"].as_array().unwrap_or(&none);
    let has = |program: &Value| {
        list(&program["shaders"]).iter().any(|shader| shader["stage"] == "fragment" && shader["lines"] == lines)
    };
    let Some(place) = programs.iter().position(has) else {
        bail!("no fragment shader has {lines} lines: {programs:?}")
    };
    let draws = list(&info["draws"]);
    let draw = draws.iter().rev().find(|draw| draw["program"] == place).context("the program makes no draw")?;
    Ok(draw["command"].to_string())
}

fn table(measured: &[Measured], args: &Args) -> String {
    let mut text = format!(
        "# Answers about shaders\n\n\
         Made by `cargo xtask bench inspect`: questions about one pixel of a draw, {} repetitions, the minimum counts; Mesa's llvmpipe,\n\
         with only the program's shaders in its cache, on a shared machine. Times are milliseconds in the worker: the draw alone, then\n\
         a value and a full recording of an invocation, each for the first time - shaders are compiled - and again.\n\n\
         | Draw | alone | first value | again | first recording | again | words | programs | runs, storage block | integer targets | float targets | bytes |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        args.rounds
    );
    let ms = |seconds: f64| format!("{:.2}", seconds * 1e3);
    for row in measured {
        let runs = |runs: &Option<u64>| runs.map_or("-".to_owned(), |runs| runs.to_string());
        let windows: Vec<String> = row.windows.iter().map(runs).collect();
        // Writing to memory does not fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.name,
            ms(row.alone),
            ms(row.value[0]),
            ms(row.value[1]),
            ms(row.recording[0]),
            ms(row.recording[1]),
            row.words,
            row.compiles,
            row.runs,
            windows.join(" | ")
        );
    }
    text.push_str(
        "\n\
         A recording through colour targets takes one run per window of its words: 32 words in eight integer targets, 16 in float\n\
         targets, one in bytes. \"Programs\" is the number of programs that the driver compiles for a recording; a run is a draw.\n",
    );
    text + &back::table(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_shader_has_the_stated_number_of_lines() {
        let text = long();
        let shader = text.split("[fragment shader]\n").nth(1).and_then(|rest| rest.split("\n\n[test]").next());
        assert_eq!(shader.map(|shader| shader.lines().count() as u64), Some(LONG_LINES));
    }
}
