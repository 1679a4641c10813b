//! Differences of two states.

use std::collections::BTreeSet;

use super::node::Node;

/// A place where two trees differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// Names from the root on.
    pub path: Vec<String>,
    /// The node in the first tree; `None` when only the second has it.
    pub before: Option<Node>,
    /// The node in the second tree; `None` when only the first has it.
    pub after: Option<Node>,
}

/// Returns the differences of two trees, in the order of the first, then of the second. A subtree that one of them
/// lacks is one difference.
#[must_use]
pub fn diff(before: &Node, after: &Node) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(before, after, &mut Vec::new(), &mut found);
    found
}

fn compare(before: &Node, after: &Node, path: &mut Vec<String>, found: &mut Vec<Difference>) {
    if before.value != after.value {
        // For a node with both a value and children, only the value is compared here.
        let alone = |node: &Node| Some(Node { children: Vec::new(), ..node.clone() });
        found.push(Difference { path: path.clone(), before: alone(before), after: alone(after) });
    }
    let names: BTreeSet<&str> = before.children.iter().map(|child| child.name.as_str()).collect();
    for child in &before.children {
        path.push(child.name.clone());
        match after.children.iter().find(|other| other.name == child.name) {
            Some(other) => compare(child, other, path, found),
            None => found.push(Difference { path: path.clone(), before: Some(child.clone()), after: None }),
        }
        path.pop();
    }
    for child in after.children.iter().filter(|child| !names.contains(child.name.as_str())) {
        path.push(child.name.clone());
        found.push(Difference { path: path.clone(), before: None, after: Some(child.clone()) });
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Value;

    #[test]
    fn differences_are_changes_additions_and_removals() {
        let tree = |values: &[(&str, i64)]| {
            let mut node = Node::branch("");
            values.iter().for_each(|(name, number)| node.fact(*name, Value::Integer(*number)));
            let mut root = Node::branch("");
            root.push(Node { name: "a".to_owned(), ..node });
            root
        };
        let (one, two) = (tree(&[("x", 1), ("y", 2), ("z", 3)]), tree(&[("w", 0), ("y", 5), ("z", 3)]));
        let told: Vec<String> = diff(&one, &two)
            .iter()
            .map(|difference| {
                let value =
                    |node: &Option<Node>| node.as_ref().map_or(String::new(), |node| format!("{:?}", node.value));
                format!("{} {} {}", difference.path.join("/"), value(&difference.before), value(&difference.after))
            })
            .collect();
        assert_eq!(told, ["a/x Some(Integer(1)) ", "a/y Some(Integer(2)) Some(Integer(5))", "a/w  Some(Integer(0))"]);
        assert!(diff(&one, &one).is_empty());
    }
}
