//! What a program wrote for people: labels of objects, and groups of commands.
//!
//! Groups are those of `KHR_debug` and of `EXT_debug_marker`. Single messages (`GREMEDY_string_marker`, event markers of
//! `EXT_debug_marker`, inserted messages of type `GL_DEBUG_TYPE_MARKER`) count as a title for what follows them in their
//! group.

use std::sync::Arc;

use api::{CommandId, constant as c, id};

use crate::share::ShareGroup;

/// Groups that can be open at a time. GL allows 64; a trace that opens more is not read further than this.
const MOST_OPEN: usize = 256;

/// Letters of a label or group that are shown.
const MOST_LETTERS: usize = 120;

/// Which extension opened a group; each closes its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupKind {
    /// `KHR_debug`.
    Debug,
    /// `EXT_debug_marker`.
    Marker,
}

/// What a command does to the open groups, with the parameter that has the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupCall {
    /// Opens a group.
    Push(GroupKind, u8),
    /// Closes one.
    Pop(GroupKind),
    /// Is a title for what follows.
    Mark(u8),
}

/// Returns what a command does to the open groups.
#[must_use]
pub fn group_call(command: CommandId, args: &[u64]) -> Option<GroupCall> {
    Some(match command {
        id::glPushDebugGroup | id::glPushDebugGroupKHR => GroupCall::Push(GroupKind::Debug, 3),
        id::glPopDebugGroup | id::glPopDebugGroupKHR => GroupCall::Pop(GroupKind::Debug),
        id::glPushGroupMarkerEXT => GroupCall::Push(GroupKind::Marker, 1),
        id::glPopGroupMarkerEXT => GroupCall::Pop(GroupKind::Marker),
        id::glStringMarkerGREMEDY | id::glInsertEventMarkerEXT => GroupCall::Mark(1),
        id::glDebugMessageInsert | id::glDebugMessageInsertARB | id::glDebugMessageInsertKHR
            if args.get(1).is_some_and(|kind| *kind as u32 == c::GL_DEBUG_TYPE_MARKER) =>
        {
            GroupCall::Mark(5)
        }
        _ => return None,
    })
}

/// The groups that are open in a context. A clone is cheap: groups that are open in both are shared.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DebugGroups {
    innermost: Option<Arc<OpenGroup>>,
    marker: Option<Arc<str>>,
}

#[derive(PartialEq, Eq, Debug)]
struct OpenGroup {
    kind: GroupKind,
    text: Arc<str>,
    depth: usize,
    around: Option<Arc<OpenGroup>>,
}

impl DebugGroups {
    /// Does what a command does; `text` is what its parameter has.
    pub fn apply(&mut self, call: GroupCall, text: impl FnOnce(u8) -> Vec<u8>) {
        match call {
            GroupCall::Push(kind, param) => {
                self.marker = None;
                let depth = self.depth() + 1;
                if depth <= MOST_OPEN {
                    let around = self.innermost.take();
                    self.innermost =
                        Some(Arc::new(OpenGroup { kind, text: Arc::from(shown(&text(param))), depth, around }));
                }
            }
            GroupCall::Pop(kind) => {
                self.marker = None;
                let around = self.open().find(|open| open.kind == kind).map(|open| open.around.clone());
                if let Some(around) = around {
                    self.innermost = around;
                }
            }
            GroupCall::Mark(param) => self.marker = Some(Arc::from(shown(&text(param)))),
        }
    }

    /// A picture is shown: a title that was given before does not belong to what follows.
    pub fn present(&mut self) {
        self.marker = None;
    }

    /// Whether there is a title for what follows.
    #[must_use]
    pub fn is_titled(&self) -> bool {
        self.marker.is_some()
    }

    /// The texts of the open groups, the outermost first, and the title in the innermost.
    #[must_use]
    pub fn path(&self) -> Vec<Arc<str>> {
        let mut path: Vec<Arc<str>> = self.open().map(|open| Arc::clone(&open.text)).collect();
        path.reverse();
        path.extend(self.marker.clone());
        path
    }

    /// How many groups are open, without a title.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.innermost.as_ref().map_or(0, |open| open.depth)
    }

    /// The open groups, the innermost first.
    fn open(&self) -> impl Iterator<Item = &OpenGroup> {
        std::iter::successors(self.innermost.as_deref(), |open| open.around.as_deref())
    }
}

/// A label or the text of a group, as it is shown: to its end or its first zero, and not longer than a line.
#[must_use]
pub fn shown(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]);
    let mut letters = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut out: String = letters.by_ref().take(MOST_LETTERS).collect();
    if letters.next().is_some() {
        out.push('…');
    }
    out
}

/// A label behind the name of its object: ` "shadow map"`, or nothing.
#[must_use]
pub fn quoted(label: Option<&str>) -> String {
    label.filter(|label| !label.is_empty()).map_or(String::new(), |label| format!(" \"{label}\""))
}

/// A path of groups as text: `"frame" > "shadows"`.
#[must_use]
pub fn path_text<T: AsRef<str>>(groups: &[T]) -> String {
    groups.iter().map(|group| format!("\"{}\"", group.as_ref())).collect::<Vec<_>>().join(" > ")
}

impl ShareGroup {
    /// The label of an object by its unique number, as it is shown.
    #[must_use]
    pub fn label(&self, object: u64) -> Option<String> {
        self.labels.get(&object).map(|label| shown(label)).filter(|label| !label.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(groups: &DebugGroups) -> Vec<String> {
        groups.path().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_extension_closes_its_own_groups() {
        let mut groups = DebugGroups::default();
        let text = |text: &str| text.as_bytes().to_vec();
        groups.apply(GroupCall::Push(GroupKind::Debug, 3), |_| text("frame"));
        groups.apply(GroupCall::Push(GroupKind::Marker, 1), |_| text("shadows\0rest"));
        groups.apply(GroupCall::Mark(1), |_| text("cascade\x1b[2J"));
        assert_eq!(path(&groups), ["frame", "shadows", "cascade [2J"]);
        groups.apply(GroupCall::Pop(GroupKind::Debug), |_| Vec::new());
        assert_eq!(path(&groups), Vec::<String>::new(), "what was open inside is closed with it");
        groups.apply(GroupCall::Pop(GroupKind::Marker), |_| Vec::new());
        assert_eq!(groups.depth(), 0);
        for _ in 0..1000 {
            groups.apply(GroupCall::Push(GroupKind::Debug, 3), |_| text("deep"));
        }
        assert_eq!(groups.depth(), MOST_OPEN);
    }

    #[test]
    fn texts_are_as_long_as_a_line() {
        assert_eq!(shown(&[b'x'; 500]).chars().count(), MOST_LETTERS + 1);
        assert_eq!(quoted(Some("a")), " \"a\"");
        assert_eq!(quoted(Some("")), "");
        assert_eq!(path_text(&["a", "b"]), "\"a\" > \"b\"");
    }
}
