//! `afterimage check FILE…`: GLSL diagnostics.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use shader::diagnostic::Severity;
use shader::version::{Options, Stage};

/// What to check.
#[derive(clap::Args)]
pub struct Args {
    /// Shader files; the stage comes from the extension (.vert .tesc .tese .geom .frag .comp).
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Checks every file; true when none has an error.
pub fn run(args: &Args) -> anyhow::Result<bool> {
    let mut clean = true;
    for path in &args.files {
        let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let shader = shader::analyze(&[text], &Options::new(stage_of(path)?));
        for diagnostic in &shader.diagnostics {
            let severity = match diagnostic.severity {
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            eprintln!("{}: {severity}[{}]: {}", path.display(), diagnostic.code, diagnostic.message);
        }
        clean &= !shader.has_errors();
    }
    Ok(clean)
}

fn stage_of(path: &Path) -> anyhow::Result<Stage> {
    Ok(match path.extension().and_then(|e| e.to_str()) {
        Some("vert") => Stage::Vertex,
        Some("tesc") => Stage::TessControl,
        Some("tese") => Stage::TessEvaluation,
        Some("geom") => Stage::Geometry,
        Some("frag") => Stage::Fragment,
        Some("comp") => Stage::Compute,
        _ => bail!("{} has no extension that names a stage; rename it to .vert, .frag, …", path.display()),
    })
}
