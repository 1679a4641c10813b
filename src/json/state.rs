//! `afterimage state --json`.

use crate::state::tree::{Node, Value};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use session::Number;

/// The state after a command.
#[derive(Serialize)]
pub struct Document<'a> {
    /// The command after which this is the state.
    pub at: Moment<'a>,
    /// The path that was asked for, from the root; empty for everything.
    pub path: String,
    /// The state there, by name.
    pub state: Tree<'a>,
}

/// What two states differ in.
#[derive(Serialize)]
pub struct DiffDocument<'a> {
    /// The command of the first state.
    pub at: Moment<'a>,
    /// The command of the second state.
    pub diff: Moment<'a>,
    /// Where they differ; exit status 1 says that they do not.
    pub differences: Vec<Difference<'a>>,
}

/// The command after which a state is looked at.
#[derive(Serialize)]
pub struct Moment<'a> {
    /// The command.
    pub command: u64,
    /// Its frame; null after the last frame.
    pub frame: Option<usize>,
    /// Its thread.
    pub thread: u32,
    /// The context that is current in the thread.
    pub context: u32,
    /// The command as `dump` prints it.
    pub text: &'a str,
}

/// A difference.
#[derive(Serialize)]
pub struct Difference<'a> {
    /// The path of the node.
    pub path: String,
    /// `changed`, `added` (only in the second state) or `removed` (only in the first).
    pub kind: &'static str,
    /// The node in the first state.
    pub before: Option<Tree<'a>>,
    /// The node in the second state.
    pub after: Option<Tree<'a>>,
}

/// A part of the state: a value, or an object with what is in it. A part that can have both is an object with the key
/// `value`, always.
pub struct Tree<'a> {
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
