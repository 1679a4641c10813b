//! Arguments of requests. Members that the adapter does not read are left out.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// `initialize`: what the client is like.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Initialize {
    pub lines_start_at1: bool,
    pub columns_start_at1: bool,
    pub supports_progress_reporting: bool,
    pub supports_invalidated_event: bool,
    pub supports_memory_references: bool,
    pub supports_variable_type: bool,
}

impl Default for Initialize {
    fn default() -> Initialize {
        Initialize {
            lines_start_at1: true,
            columns_start_at1: true,
            supports_progress_reporting: false,
            supports_invalidated_event: false,
            supports_memory_references: false,
            supports_variable_type: true,
        }
    }
}

/// `launch` and `attach`: what to debug. `docs/editors.md` says what each member means.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Launch {
    pub trace: Option<PathBuf>,
    pub program: Option<PathBuf>,
    pub args: Vec<String>,
    pub cwd: Option<PathBuf>,
    pub env: BTreeMap<String, Option<String>>,
    pub output: Option<PathBuf>,
    #[serde(flatten)]
    pub who: Who,
    pub device: Option<String>,
    pub stop_on_entry: Option<bool>,
    pub history: Option<bool>,
    pub sources_to: Option<PathBuf>,
    pub token: Option<String>,
}

/// Which invocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Who {
    pub frame: Option<usize>,
    pub command: Option<u64>,
    pub stage: Option<String>,
    #[serde(deserialize_with = "pixel")]
    pub pixel: Option<[u32; 2]>,
    pub sample: Option<u32>,
    pub layer: Option<u32>,
    pub vertex: Option<u32>,
    pub instance: Option<u32>,
    pub primitive: Option<u32>,
    pub invocation: Option<u32>,
    pub thread: Option<[u32; 3]>,
}

/// A pixel: two numbers, or texts of such, which is all that the templates of some editors can make; or `x,y`.
fn pixel<'d, D: Deserializer<'d>>(from: D) -> Result<Option<[u32; 2]>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a pixel, [3, 4] or \"3,4\"")]
    enum Written {
        Numbers([u32; 2]),
        Texts([String; 2]),
        Text(String),
    }
    let number =
        |text: &str| text.trim().parse().map_err(|_| D::Error::custom(format!("`{text}` is no column or row")));
    Ok(match Option::<Written>::deserialize(from)? {
        None => None,
        Some(Written::Numbers(pixel)) => Some(pixel),
        Some(Written::Texts([x, y])) => Some([number(&x)?, number(&y)?]),
        Some(Written::Text(text)) => {
            let (x, y) =
                text.split_once(',').ok_or_else(|| D::Error::custom("a pixel is a column and a row: [3, 4]"))?;
            Some([number(x)?, number(y)?])
        }
    })
}

/// `restart`: the configuration as it is now, where it was changed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Restart {
    pub arguments: Option<Launch>,
}

/// `disconnect` and `terminate`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Disconnect {
    pub terminate_debuggee: Option<bool>,
}

/// `cancel`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cancel {
    pub request_id: Option<i64>,
    pub progress_id: Option<String>,
}

/// A source, as the client knows it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceHint {
    pub name: Option<String>,
    pub path: Option<String>,
    pub source_reference: Option<i64>,
    pub adapter_data: Option<serde_json::Value>,
}

/// `setBreakpoints`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetBreakpoints {
    pub source: SourceHint,
    #[serde(default)]
    pub breakpoints: Vec<LineBreakpoint>,
}

/// A breakpoint of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LineBreakpoint {
    pub line: u32,
    pub condition: Option<String>,
    pub hit_condition: Option<String>,
    pub log_message: Option<String>,
}

/// `breakpointLocations`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakpointLocations {
    pub source: SourceHint,
    pub line: u32,
    pub end_line: Option<u32>,
}

/// `setExceptionBreakpoints`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetExceptionBreakpoints {
    pub filters: Vec<String>,
    pub filter_options: Vec<FilterOption>,
}

/// A filter of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilterOption {
    pub filter_id: String,
}

/// `dataBreakpointInfo`, `setVariable`, `setExpression`: something that has a name and lies somewhere.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Named {
    pub variables_reference: Option<i64>,
    pub frame_id: Option<i64>,
    pub name: String,
    pub expression: String,
    pub value: String,
}

/// `setDataBreakpoints`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct SetDataBreakpoints {
    pub breakpoints: Vec<DataBreakpoint>,
}

/// A breakpoint of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataBreakpoint {
    pub data_id: String,
    pub condition: Option<String>,
}

/// All that goes on or looks at a thread.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OfThread {
    pub thread_id: Option<i64>,
    pub target_id: Option<i64>,
    pub start_frame: usize,
    pub levels: usize,
}

/// `afterimage/step`: a step that the protocol has no name for.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnyStep {
    pub thread_id: Option<i64>,
    pub step: session::Step,
}

/// `scopes`, `stepInTargets`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfFrame {
    pub frame_id: i64,
}

/// `variables`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Variables {
    pub variables_reference: i64,
    #[serde(default)]
    pub filter: Option<String>,
    #[serde(default)]
    pub start: usize,
    #[serde(default)]
    pub count: usize,
}

/// `evaluate`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evaluate {
    pub expression: String,
    pub frame_id: Option<i64>,
    pub context: Option<String>,
}

/// `completions`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completions {
    pub frame_id: Option<i64>,
    pub text: String,
    pub column: usize,
}

/// `source`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceText {
    pub source: SourceHint,
    pub source_reference: i64,
}

/// `readMemory`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadMemory {
    pub memory_reference: String,
    #[serde(default)]
    pub offset: i64,
    pub count: usize,
}

/// `disassemble`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disassemble {
    pub memory_reference: String,
    #[serde(default)]
    pub offset: i64,
    #[serde(default)]
    pub instruction_offset: i64,
    pub instruction_count: usize,
}

/// `afterimage/picture`: after which command, or at the end of which frame.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Picture {
    pub frame: Option<usize>,
    pub command: Option<u64>,
}

/// `afterimage/follow`: another invocation of the quad or workgroup.
#[derive(Clone, Debug, Deserialize)]
pub struct Follow {
    pub lane: usize,
}

/// `afterimage/find`.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Find {
    /// A line of the text one stands in; the one at hand without.
    pub line: Option<u32>,
    /// Only where this is true.
    pub condition: Option<String>,
    /// How many invocations to name.
    pub most: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_read_as_editors_write_them() {
        let read = |text: &str| serde_json::from_str::<Launch>(text).map(|launch| launch.who.pixel).ok();
        let pixel = Some(Some([3, 4]));
        assert_eq!(read(r#"{"pixel": [3, 4]}"#), pixel);
        assert_eq!(read(r#"{"pixel": ["3", " 4"]}"#), pixel);
        assert_eq!(read(r#"{"pixel": "3,4"}"#), pixel);
        assert_eq!(read(r#"{"trace": "x.aftr"}"#), Some(None));
        assert_eq!(read(r#"{"pixel": "middle"}"#), None);
        assert_eq!(read(r#"{"pixel": [3]}"#), None);
    }
}
