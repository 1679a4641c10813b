//! Texts of shaders: served from the trace, written to files where an editor knows only those, or found in files that
//! the client already has.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use session::{Location, Source};

use super::{Adapter, After};
use crate::protocol::Request;
use crate::protocol::arguments::{SourceHint, SourceText};
use crate::protocol::bodies;
use crate::refusal::Refusal;

/// The texts that have been met.
#[derive(Default)]
pub struct Sources {
    all: Vec<KnownSource>,
    /// The name of the trace, which texts are shown under.
    folder: String,
    /// Where to write them to.
    files: Option<PathBuf>,
}

struct KnownSource {
    source: Source,
    /// The file that is shown in its place, and how many lines of the text are before it.
    file: Option<(PathBuf, u32)>,
}

impl Sources {
    /// Begins with a trace: texts of another are forgotten.
    pub fn begin(&mut self, trace: &Path, files: Option<&Path>) -> Result<(), Refusal> {
        let folder = trace.file_stem().unwrap_or("trace".as_ref()).to_string_lossy().into_owned();
        if folder != self.folder {
            self.all.clear();
            self.folder = folder;
        }
        self.files = files.map(Path::to_owned);
        if let Some(folder) = &self.files {
            std::fs::create_dir_all(folder)
                .map_err(|source| Refusal::File { file: folder.display().to_string(), source })?;
        }
        Ok(())
    }

    /// Gets to know a text; true if it is new.
    fn add(&mut self, source: Source) -> Result<bool, Refusal> {
        if self.all.iter().any(|known| known.source.id == source.id) {
            return Ok(false);
        }
        let mut file = None;
        if let Some(folder) = &self.files {
            let path = folder.join(file_name(&source.id));
            std::fs::write(&path, &source.text)
                .map_err(|error| Refusal::File { file: path.display().to_string(), source: error })?;
            file = Some((path, 0));
        }
        self.all.push(KnownSource { source, file });
        Ok(true)
    }

    /// The text that a client means, and how many of its lines are before what the client sees.
    pub fn find(&mut self, hint: &SourceHint) -> Option<(String, u32)> {
        let given = hint.adapter_data.as_ref().and_then(|data| data["id"].as_str());
        let reference = hint.source_reference.filter(|reference| *reference > 0);
        let path = hint.path.as_deref().map(Path::new);
        let stem = path.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
        for (number, known) in (1..).zip(&self.all) {
            let id = &known.source.id;
            let file = known.file.as_ref().filter(|(file, _)| path == Some(file.as_path()));
            if let Some((_, before)) = file {
                return Some((id.clone(), *before));
            }
            if given == Some(id) || stem.as_ref() == Some(id) || reference == Some(number) {
                return Some((id.clone(), 0));
            }
        }
        if let Some(path) = path
            && let Ok(text) = std::fs::read_to_string(path)
        {
            return self.adopt(path, &text);
        }
        let named = self.all.iter().find(|known| Some(&known.source.name) == hint.name.as_ref());
        named.map(|known| (known.source.id.clone(), 0))
    }

    /// Takes a file of the client's for a text that holds it: programs often put lines in front of what they read.
    fn adopt(&mut self, path: &Path, text: &str) -> Option<(String, u32)> {
        let wanted = text.trim_end();
        if wanted.is_empty() {
            return None;
        }
        for known in &mut self.all {
            let Some(at) = known.source.text.find(wanted) else { continue };
            let before = known.source.text[..at].matches('\n').count() as u32;
            known.file = Some((path.to_owned(), before));
            return Some((known.source.id.clone(), before));
        }
        None
    }

    /// What a client is told of a text, and how many of its lines are before what it sees.
    pub fn body(&self, id: &str) -> Option<(bodies::Source, u32)> {
        let place = self.all.iter().position(|known| known.source.id == id)?;
        let known = self.all.get(place)?;
        let (path, reference, before) = match &known.file {
            Some((file, before)) => (file.display().to_string(), 0, *before),
            None => (format!("{}/{}", self.folder, file_name(id)), place as i64 + 1, 0),
        };
        let stand_in = known.source.stand_in.as_ref();
        let origin = stand_in.map_or("from the trace".to_owned(), |replaced| format!("stands in for {replaced}"));
        let name = match &known.file {
            Some((file, _)) => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            None => known.source.name.clone(),
        };
        let adapter_data = bodies::AdapterData { id: id.to_owned() };
        Some((bodies::Source { name, path, source_reference: reference, origin, adapter_data }, before))
    }
}

/// A name that says the stage in the way editors know.
fn file_name(id: &str) -> String {
    let endings = [
        ("vertex", "vert"),
        ("tessellation-control", "tesc"),
        ("tessellation-evaluation", "tese"),
        ("geometry", "geom"),
        ("fragment", "frag"),
        ("compute", "comp"),
    ];
    let ending = endings.iter().find(|(stage, _)| id.starts_with(stage)).map_or("glsl", |(_, ending)| ending);
    format!("{id}.{ending}")
}

/// A place as a client counts.
pub struct ClientRange {
    pub source: Option<bodies::Source>,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Adapter {
    /// Gets to know the texts that can be seen now: of the draw that is debugged, and of the passes below.
    pub(super) fn meet_sources(&mut self) -> Result<(), Refusal> {
        let Some(session) = self.session.as_mut() else { return Ok(()) };
        let mut met = Vec::new();
        let passes = session.passes();
        for (number, pass) in passes.iter().enumerate() {
            met.push(session.source(number)?);
            if number + 1 == passes.len() {
                // Breakpoints can be set in the other stages of the draw too.
                met.extend(session.sources(pass.invocation.command).unwrap_or_default());
            }
        }
        let mut new = Vec::new();
        for source in met {
            let id = source.id.clone();
            if self.sources.add(source)? {
                new.push(id);
            }
        }
        for id in &new {
            if let Some((source, _)) = self.sources.body(id) {
                let body = json!({"reason": "new", "source": source});
                self.after.push(After::Event("loadedSource", body));
            }
        }
        if !new.is_empty() {
            let changed = self.bind_breakpoints();
            self.after.extend(changed.into_iter().map(|body| After::Event("breakpoint", body)));
        }
        Ok(())
    }

    /// Where something is.
    pub(super) fn place(&self, location: &Location) -> ClientRange {
        let (source, before) = match self.sources.body(&location.source) {
            Some((source, before)) => (Some(source), before),
            None => (None, 0),
        };
        let column = |column: u32| column.saturating_sub(u32::from(!self.client.columns_start_at1));
        ClientRange {
            source,
            line: self.line_out(location.line, before),
            column: column(location.column),
            end_line: self.line_out(location.end_line, before),
            end_column: column(location.end_column),
        }
    }

    /// A line as the client counts.
    pub(super) fn line_out(&self, line: u32, before: u32) -> u32 {
        line.saturating_sub(before).saturating_sub(u32::from(!self.client.lines_start_at1))
    }

    /// A line as we count.
    pub(super) fn line_in(&self, line: u32, before: u32) -> u32 {
        line.saturating_add(before).saturating_add(u32::from(!self.client.lines_start_at1))
    }

    /// What a client is told of a text.
    pub(super) fn source_body(&self, id: &str) -> Option<bodies::Source> {
        self.sources.body(id).map(|(body, _)| body)
    }

    pub(super) fn source(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: SourceText = request.arguments()?;
        let hint = SourceHint {
            source_reference: wanted.source.source_reference.or(Some(wanted.source_reference)),
            ..wanted.source
        };
        let missing = || Refusal::NotThere("the trace has no such source".to_owned());
        let (id, _) = self.sources.find(&hint).ok_or_else(missing)?;
        let known = self.sources.all.iter().find(|known| known.source.id == id).ok_or_else(missing)?;
        Ok(json!({"content": known.source.text, "mimeType": "text/x-glsl"}))
    }

    pub(super) fn loaded_sources(&mut self) -> Result<Value, Refusal> {
        let all = self.sources.all.iter().filter_map(|known| self.source_body(&known.source.id));
        Ok(json!({"sources": all.collect::<Vec<_>>()}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Sources {
        let mut sources = Sources { folder: "game".to_owned(), ..Sources::default() };
        for (id, text) in
            [("vertex-01", "void main() {}\n"), ("fragment-02", "#version 330\n#define N 4\nint x;\nvoid main() {}\n")]
        {
            let source = Source { id: id.to_owned(), name: id.to_owned(), text: text.to_owned(), stand_in: None };
            assert!(sources.add(source.clone()).unwrap());
            assert!(!sources.add(source).unwrap());
        }
        sources
    }

    #[test]
    fn a_source_is_found_by_whatever_a_client_keeps_of_it() {
        let mut sources = some();
        let (body, before) = sources.body("fragment-02").unwrap();
        assert_eq!((body.path.as_str(), body.source_reference, before), ("game/fragment-02.frag", 2, 0));
        let found = Some(("fragment-02".to_owned(), 0));
        let hint = |change: fn(&mut SourceHint)| {
            let mut hint = SourceHint::default();
            change(&mut hint);
            hint
        };
        assert_eq!(sources.find(&hint(|hint| hint.source_reference = Some(2))), found);
        assert_eq!(sources.find(&hint(|hint| hint.path = Some("game/fragment-02.frag".to_owned()))), found);
        assert_eq!(sources.find(&hint(|hint| hint.adapter_data = Some(json!({"id": "fragment-02"})))), found);
        assert_eq!(sources.find(&hint(|hint| hint.name = Some("fragment-02".to_owned()))), found);
        assert_eq!(sources.find(&hint(|hint| hint.path = Some("game/other.frag".to_owned()))), None);
    }

    #[test]
    fn a_file_that_a_text_holds_is_shown_in_its_place() {
        let mut sources = some();
        assert_eq!(
            sources.adopt(Path::new("x.frag"), "int x;\nvoid main() {}\n\n"),
            Some(("fragment-02".to_owned(), 2))
        );
        let (body, before) = sources.body("fragment-02").unwrap();
        assert_eq!((body.path.as_str(), body.source_reference, before), ("x.frag", 0, 2));
        assert_eq!(sources.adopt(Path::new("y.frag"), "int y;\n"), None);
    }
}
