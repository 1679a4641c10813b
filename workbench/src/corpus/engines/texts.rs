//! Pairs of shaders: from pages in a browser, and from libretro's files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::corpus::browser::{HOOK, Site};
use crate::{files, npm, process};

const FINISH: &str = include_str!("finish.js");
/// The pages load megabytes of script, and a browser without a GPU compiles slowly.
const SILENCE: Duration = Duration::from_secs(240);

/// Where shaders come from.
pub struct Engine {
    pub name: &'static str,
    /// The page that compiles them; libretro's are files.
    page: Option<&'static str>,
    /// Whether they are desktop GLSL.
    pub is_desktop: bool,
    /// How many pairs are drawn, unless the command line says otherwise; all if none is given.
    pub sample: Option<usize>,
}

/// All of them.
pub const ENGINES: &[Engine] = &[
    Engine { name: "three", page: Some("three.html"), is_desktop: false, sample: None },
    Engine { name: "playcanvas", page: Some("playcanvas.html"), is_desktop: false, sample: None },
    Engine { name: "babylon", page: Some("babylon.html"), is_desktop: false, sample: None },
    Engine { name: "libretro", page: None, is_desktop: true, sample: Some(40) },
];

impl Engine {
    /// Returns a folder with at most `limit` pairs as `NAME.vert` and `NAME.frag`; `None` if they are not asked for.
    pub fn texts(
        &self,
        work: &Path,
        libretro: Option<&Path>,
        again: bool,
        limit: Option<usize>,
    ) -> anyhow::Result<Option<PathBuf>> {
        let folder = work.join(self.name);
        let mut pairs = match (self.page, libretro) {
            (None, None) => return Ok(None),
            (Some(_), _) if again && folder.is_dir() => return Ok(Some(folder)),
            (Some(page), _) => compiled(page)?,
            (None, Some(source)) => stages(source)?,
        };
        ensure!(!pairs.is_empty(), "{} has no pair of shaders", self.name);
        if folder.is_dir() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        // A gallery draws all files of its folder, and a recording of thousands would be replayed for each question.
        if let Some(limit) = limit {
            pairs.sort_by_cached_key(|(name, _)| *blake3::hash(name.as_bytes()).as_bytes());
            pairs.truncate(limit);
        }
        for (number, (name, [vertex, fragment])) in pairs.iter().enumerate() {
            let file = folder.join(format!("{number:03}-{name}"));
            std::fs::write(file.with_extension("vert"), vertex)?;
            std::fs::write(file.with_extension("frag"), fragment)?;
        }
        Ok(Some(folder))
    }
}

type Pair = (String, [String; 2]);

/// Shows a page in a browser, and returns the programs that it linked.
fn compiled(page: &str) -> anyhow::Result<Vec<Pair>> {
    let pages = process::root().join("workbench/src/corpus/engines");
    let packages = npm::install(&pages.join("package.json"))?.join("node_modules");
    let site = Site {
        script: format!("const LIMITS = {{}};\n{HOOK}\n{FINISH}"),
        made: std::collections::BTreeMap::new(),
        folders: vec![("npm/", packages), ("", pages)],
    };
    let reports = site.open(page, SILENCE)?;
    let found = &reports.first().context("the page posted nothing")?["found"];
    if let Some(error) = found["error"].as_str() {
        anyhow::bail!("{page}: {error}");
    }
    let text = |index: &Value| found["shaders"][usize::try_from(index.as_u64()?).ok()?]["text"].as_str();
    let is_vertex =
        |index: &Value| found["shaders"][index.as_u64().unwrap_or(0) as usize]["vertex"].as_bool().unwrap_or(false);
    let mut pairs = Vec::new();
    let mut seen = BTreeSet::new();
    for program in found["programs"].as_array().into_iter().flatten().filter(|program| program["ok"] == true) {
        let [a, b] = [&program["shaders"][0], &program["shaders"][1]];
        let (vertex, fragment) = if is_vertex(a) { (a, b) } else { (b, a) };
        let (Some(vertex), Some(fragment)) = (text(vertex), text(fragment)) else { continue };
        if seen.insert([vertex, fragment]) {
            pairs.push((title(fragment), [vertex.to_owned(), fragment.to_owned()]));
        }
    }
    Ok(pairs)
}

/// Returns the name that an engine gives a shader, or nothing.
fn title(text: &str) -> String {
    let name = ["#define SHADER_NAME ", "#define SHADER_TYPE ", "// "]
        .iter()
        .find_map(|before| text.lines().find_map(|line| line.trim().strip_prefix(before)));
    let letters = name.unwrap_or("shader").chars().take(24);
    letters.map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Returns libretro's shaders, which have both stages in one file.
fn stages(folder: &Path) -> anyhow::Result<Vec<Pair>> {
    let mut found = Vec::new();
    let mut files = files::below(folder)?;
    files.sort();
    for path in files.iter().filter(|path| files::extension(path) == "glsl") {
        let text = String::from_utf8_lossy(&std::fs::read(path)?).replace('\r', "");
        if !text.contains("VERTEX") || !text.contains("FRAGMENT") {
            continue;
        }
        let stage = |name: &str| {
            let define = format!("#define {name}\n#define PARAMETER_UNIFORM\n");
            // A version comes first.
            match text.lines().position(|line| line.trim_start().starts_with("#version")) {
                Some(line) => {
                    let lines: Vec<&str> = text.lines().collect();
                    format!("{}\n{define}{}\n", lines[..=line].join("\n"), lines[line + 1..].join("\n"))
                }
                None => format!("{define}{text}"),
            }
        };
        let name =
            path.file_stem().unwrap_or_default().to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        found.push((name, [stage("VERTEX"), stage("FRAGMENT")]));
    }
    Ok(found)
}

/// Returns the names of the pairs, in the order in which the gallery draws them.
pub fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names: Vec<String> = files::below(folder)?
        .iter()
        .filter(|path| files::extension(path) == "vert")
        .map(|path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
        .collect();
    names.sort();
    Ok(names)
}
