//! `afterimage completions` and `afterimage man-pages`: what shells and `man` know of this program, made from its own command
//! line.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::Outcome;

const HELP: &str = "\
Examples:
  afterimage completions bash > ~/.local/share/bash-completion/completions/afterimage
  afterimage completions fish > ~/.config/fish/completions/afterimage.fish
  afterimage completions zsh > _afterimage          in a folder of zsh's $fpath

The Debian package brings them along.

Exit status: 0 done, 2 the request could not be served.";

/// Print completions of this program's commands and options for a shell.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

/// Write a page of the manual for each command.
#[derive(clap::Args)]
pub struct ManPages {
    /// The folder to write them to.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints completions.
///
/// # Errors
/// When they cannot be written.
pub fn completions(args: &Completions, mut command: clap::Command) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "afterimage", &mut script);
    if args.shell == Shell::Bash {
        script = with_files(&String::from_utf8_lossy(&script)).into_bytes();
    }
    std::io::stdout().lock().write_all(&script)?;
    Ok(Outcome::Done)
}

/// Has bash complete names of files where neither an option nor its value is typed: by itself it offers options.
fn with_files(script: &str) -> String {
    let mut lines = String::new();
    for line in script.lines() {
        lines += line;
        lines.push('\n');
        // Commands whose other arguments are words have them in this list.
        let words = line.trim().strip_prefix("opts=\"").and_then(|rest| rest.strip_suffix('"'));
        if words.is_some_and(|words| !words.is_empty() && words.split(' ').all(|word| word.starts_with('-'))) {
            lines += "            [[ ${cur} == -* || ${prev} == --?* || ${prev} == -[a-z] ]] || { COMPREPLY=(); return 0; }\n";
        }
    }
    lines
}

/// Writes the pages.
///
/// # Errors
/// When one cannot be written.
pub fn man_pages(args: &ManPages, mut command: clap::Command) -> anyhow::Result<Outcome> {
    let cannot = || format!("pages cannot be written to {}", args.folder.display());
    std::fs::create_dir_all(&args.folder).with_context(cannot)?;
    // Gives commands the names of their pages.
    command.build();
    let of_commands =
        command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
    for command in std::iter::once(&command).chain(of_commands) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let text = page(command).with_context(cannot)?;
        std::fs::write(args.folder.join(format!("{name}.1")), text).with_context(cannot)?;
    }
    Ok(Outcome::Done)
}

/// Makes the page of a command.
fn page(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    if let Some(notes) = command.get_after_help() {
        // In lines as they are, because examples have columns.
        writeln!(out, ".SH NOTES\n.nf\n{}\n.fi", verbatim(&notes.to_string()))?;
    }
    Ok(out)
}

/// Text that roff does not take for requests or escapes.
fn verbatim(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.replace('\\', r"\e").replace('-', r"\-");
        if line.starts_with(['.', '\'']) { format!(r"\&{line}") } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::verbatim;

    #[test]
    fn roff_does_not_interpret_notes() {
        assert_eq!(verbatim(".so x\n'a\n--b \\n\n"), "\\&.so x\n\\&'a\n\\-\\-b \\en");
    }
}
