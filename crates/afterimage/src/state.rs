//! The GL state after a command, as a tree that paths lead into.

use serde::ser::{Serialize, SerializeMap, Serializer};
use session::Number;
use state::Model;

use crate::error::TraceError;
use crate::line::line;
use crate::trace::Trace;
use crate::tree::{self, Difference, FoundNode, Node, NotThere, Value};

/// The state after a command, and which part of it the command used.
pub struct StateTree {
    /// The command.
    pub command: u64,
    /// Its frame; nothing where it is in none.
    pub frame: Option<usize>,
    /// The thread that called.
    pub thread: u32,
    /// The context that is current in the thread; 0 for none.
    pub context: u32,
    /// The command as one line.
    pub text: String,
    /// The whole state.
    pub root: Node,
    /// Where paths begin that do not begin at the top: in the context of the command, and in what that shares.
    pub bases: Vec<Vec<String>>,
}

/// A part of the state, to be shown.
pub struct StatePart {
    /// Names from the root on; empty for everything.
    pub path: Vec<String>,
    /// The part.
    pub node: Node,
    /// Whether to show values that are as GL has them initially.
    pub all: bool,
    /// The paths of what was left out.
    pub hidden: Vec<String>,
}

impl StatePart {
    /// Returns it in a form that can be serialised.
    #[must_use]
    pub fn tree(&self) -> Tree<'_> {
        Tree { node: &self.node, all: self.all }
    }
}

impl StateTree {
    pub(crate) fn after(trace: &Trace, command: u64) -> Result<StateTree, TraceError> {
        let reader = trace.open.reader();
        let (model, images) = trace.open.chronicle().moment(command + 1)?;
        let root = tree::tree(&model, &|group, thing| images.records(group, thing));
        let held = reader.call_at(command)?;
        let call = held.call();
        let context = model.seat(call.thread).context;
        Ok(StateTree {
            command,
            frame: reader.frame_of(command),
            thread: call.thread,
            context,
            text: line(reader, &call, trace.open.annotations(), false),
            root,
            bases: bases(&model, context),
        })
    }

    /// Returns the part at a path, such as `blend`, `context/1/viewport` or `texture/5`; everything for an empty path.
    ///
    /// # Errors
    /// When nothing is there; the error lists what is.
    pub fn find(&self, path: &str) -> Result<FoundNode<'_>, NotThere> {
        tree::find(&self.root, &self.bases, path)
    }

    /// Returns what another state has otherwise at a path. What only one of them has is a difference as a whole.
    ///
    /// # Errors
    /// When nothing is there in both.
    pub fn differences(&self, other: &StateTree, path: &str) -> Result<Vec<Difference>, NotThere> {
        let (one, two) = match (self.find(path), other.find(path)) {
            (Ok(one), Ok(two)) => (one, two),
            (Ok(one), Err(_)) => {
                return Ok(vec![Difference { path: one.path, before: Some(one.node.clone()), after: None }]);
            }
            (Err(_), Ok(two)) => {
                return Ok(vec![Difference { path: two.path, before: None, after: Some(two.node.clone()) }]);
            }
            (Err(error), Err(_)) => return Err(error),
        };
        let mut differences = tree::diff(one.node, two.node);
        for difference in &mut differences {
            difference.path.splice(0..0, one.path.iter().cloned());
        }
        Ok(differences)
    }

    /// Returns the part at a path as people and scripts want to see it. Without `all`, the whole state lacks contexts that
    /// the command had nothing to do with, and values that are as GL has them initially are left out - but what is asked
    /// for by name is shown even where all of it is so.
    ///
    /// # Errors
    /// When nothing is there; the error lists what is.
    pub fn part(&self, path: &str, all: bool) -> Result<StatePart, NotThere> {
        let found = self.find(path)?;
        let (path, mut node) = (found.path, found.node.clone());
        let hidden = if path.is_empty() && !all { self.keep_own(&mut node) } else { Vec::new() };
        let all = all || node.default && !path.is_empty();
        Ok(StatePart { path, node, all, hidden })
    }

    /// Takes out contexts, and what is shared, that the command had nothing to do with; returns their paths.
    fn keep_own(&self, root: &mut Node) -> Vec<String> {
        let mut hidden = Vec::new();
        for base in &self.bases {
            let [kind, number] = &base[..] else { continue };
            let Some(branch) = root.children.iter_mut().find(|child| child.name == *kind) else { continue };
            if branch.child(number).is_none() {
                continue;
            }
            let others = branch.children.iter().filter(|child| child.name != *number);
            hidden.extend(others.map(|child| format!("{kind}/{}", child.name)));
            branch.children.retain(|child| child.name == *number);
        }
        hidden
    }
}

/// Returns where short paths begin.
fn bases(model: &Model, context: u32) -> Vec<Vec<String>> {
    // At the end of a program nothing is current; then the last context is meant.
    let last = || model.contexts.iter().flatten().next_back().map_or(0, |context| context.facts.number);
    let meant = if context == 0 { last() } else { context };
    let mut bases = vec![vec!["context".to_owned(), meant.to_string()]];
    if let Some(context) = model.context(meant) {
        bases.push(vec!["share".to_owned(), tree::share_name(context.group)]);
    }
    bases
}

/// A part of the state: a value, or an object with what is in it. A part that can have both is an object with the key
/// `value`, always.
#[derive(Clone, Copy)]
pub struct Tree<'a> {
    /// The part.
    pub node: &'a Node,
    /// Whether to write what is as GL has it initially.
    pub all: bool,
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Tree { node, all } = *self;
        if let (Some(value), true) = (&node.value, node.children.is_empty()) {
            return Leaf(value).serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        for child in node.children.iter().filter(|child| all || !child.default) {
            map.serialize_entry(&child.name, &Tree { node: child, all })?;
        }
        if let Some(value) = &node.value {
            map.serialize_entry("value", &Leaf(value))?;
        }
        map.end()
    }
}

/// A value. What JSON has no number for is a string (RFC 8259, 6).
struct Leaf<'a>(&'a Value);

impl Serialize for Leaf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Truth(truth) => truth.serialize(serializer),
            Value::Integer(number) => number.serialize(serializer),
            Value::Single(number) => Number(*number).serialize(serializer),
            Value::Double(number) if number.is_nan() => "NaN".serialize(serializer),
            Value::Double(f64::INFINITY) => "Infinity".serialize(serializer),
            Value::Double(f64::NEG_INFINITY) => "-Infinity".serialize(serializer),
            Value::Double(number) => number.serialize(serializer),
            Value::Enum(name) => name.serialize(serializer),
            Value::Bits(bits) => bits.serialize(serializer),
            Value::Text(text) => text.serialize(serializer),
            Value::Object(_, 0) | Value::Unknown => serializer.serialize_none(),
            Value::Object(..) | Value::Address(_) => serializer.collect_str(self.0),
            Value::Bytes(number) | Value::Call(number) => number.serialize(serializer),
            Value::Size(sides) => sides.serialize(serializer),
            Value::List(values) => serializer.collect_seq(values.iter().map(Leaf)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn leaf(value: &Value) -> serde_json::Value {
        serde_json::to_value(Leaf(value)).unwrap()
    }

    fn tree(node: &Node, all: bool) -> serde_json::Value {
        serde_json::to_value(Tree { node, all }).unwrap()
    }

    #[test]
    fn what_is_no_number_is_text() {
        let floats = [1.5, 0.1, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let text = leaf(&Value::singles(&floats)).to_string();
        assert_eq!(text, r#"[1.5,0.1,"NaN","Infinity","-Infinity"]"#);
        assert_eq!(leaf(&Value::Object("texture", 5)), json!("texture/5"));
        assert_eq!(leaf(&Value::Object("texture", 0)), json!(null));
        assert_eq!(leaf(&Value::Address(0x1000)), json!("0x1000"));
    }

    #[test]
    fn a_node_with_both_has_its_value_beside_its_children() {
        let mut node = Node::leaf("a", Value::Integer(1));
        assert_eq!(tree(&node, false), json!(1));
        node.put("b", Value::Truth(true), Value::Truth(true));
        assert_eq!(tree(&node, false), json!({ "value": 1 }));
        assert_eq!(tree(&node, true), json!({ "value": 1, "b": true }));
        assert_eq!(tree(&Node::branch("c"), true), json!({}));
    }
}
