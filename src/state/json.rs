//! The state as strict JSON: what is no number in JSON is text.

use serde_json::{Map, Number, Value as Json, json};

use super::Moment;
use super::tree::{Difference, Node, Value, spelled};

/// The state after one command.
pub fn page(moment: &Moment, path: &[String], node: &Node, all: bool) -> Json {
    json!({ "at": about(moment), "path": spelled(path), "state": document(node, all) })
}

/// What two states differ in.
pub fn differences(moment: &Moment, other: &Moment, differences: &[Difference], all: bool) -> Json {
    let side = |node: &Option<Node>| node.as_ref().map_or(Json::Null, |node| document(node, all));
    let one = |difference: &Difference| {
        let kind = match (&difference.before, &difference.after) {
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "removed",
            _ => "added",
        };
        json!({
            "path": spelled(&difference.path),
            "kind": kind,
            "before": side(&difference.before),
            "after": side(&difference.after),
        })
    };
    let list: Vec<Json> = differences.iter().map(one).collect();
    json!({ "at": about(moment), "diff": about(other), "differences": list })
}

fn about(moment: &Moment) -> Json {
    json!({
        "command": moment.command,
        "frame": moment.frame,
        "thread": moment.thread,
        "context": moment.context,
        "text": moment.text,
    })
}

/// A node: its value, or an object of its children; what can have both is an object with a key `value`, always.
fn document(node: &Node, all: bool) -> Json {
    let own = node.value.as_ref().map(value);
    if node.children.is_empty() {
        return own.unwrap_or_else(|| Json::Object(Map::new()));
    }
    let children = node.children.iter().filter(|child| all || !child.default);
    let mut map: Map<String, Json> = children.map(|child| (child.name.clone(), document(child, all))).collect();
    if let Some(own) = own {
        map.insert("value".to_owned(), own);
    }
    Json::Object(map)
}

fn value(value: &Value) -> Json {
    match value {
        Value::Truth(truth) => Json::Bool(*truth),
        Value::Integer(number) => Json::from(*number),
        // The shortest decimal that is this float, not all digits of its double.
        Value::Single(number) => float(number.to_string().parse().unwrap_or(f64::NAN)),
        Value::Double(number) => float(*number),
        Value::Enum(name) => Json::from(*name),
        Value::Bits(bits) => Json::from(bits.clone()),
        Value::Text(text) => Json::from(text.as_str()),
        Value::Object(_, 0) | Value::Unknown => Json::Null,
        Value::Object(..) | Value::Address(_) => Json::from(value.to_string()),
        Value::Bytes(number) | Value::Call(number) => Json::from(*number),
        Value::Size(sides) => Json::from(sides.clone()),
        Value::List(values) => values.iter().map(self::value).collect(),
    }
}

/// JSON has no infinity and nothing for what is no number (RFC 8259, 6).
fn float(number: f64) -> Json {
    match Number::from_f64(number) {
        Some(number) => Json::Number(number),
        None if number.is_nan() => Json::from("NaN"),
        None => Json::from(if number > 0.0 { "Infinity" } else { "-Infinity" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_text() {
        let floats = [1.5, 0.1, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let text = value(&Value::singles(&floats)).to_string();
        assert_eq!(text, r#"[1.5,0.1,"NaN","Infinity","-Infinity"]"#);
        assert_eq!(value(&Value::Object("texture", 5)), json!("texture/5"));
        assert_eq!(value(&Value::Object("texture", 0)), Json::Null);
        assert_eq!(value(&Value::Address(0x1000)), json!("0x1000"));
    }

    #[test]
    fn a_node_with_both_has_its_value_beside_its_children() {
        let mut node = Node::leaf("a", Value::Integer(1));
        assert_eq!(document(&node, false), json!(1));
        node.put("b", Value::Truth(true), Value::Truth(true));
        assert_eq!(document(&node, false), json!({ "value": 1 }));
        assert_eq!(document(&node, true), json!({ "value": 1, "b": true }));
        assert_eq!(document(&Node::branch("c"), true), json!({}));
    }
}
