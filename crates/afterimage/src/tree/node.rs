//! Nodes of the tree.

use super::value::Value;

/// A node: a value, or a branch, or an object that is both.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Its name: one part of a path.
    pub name: String,
    /// Its value; branches have none.
    pub value: Option<Value>,
    /// Its children, with unique names.
    pub children: Vec<Node>,
    /// Whether it and all its children have GL's initial values, so that they are usually hidden.
    pub default: bool,
}

impl Node {
    /// Creates a branch, which is shown if any of its children is.
    #[must_use]
    pub fn branch(name: impl Into<String>) -> Node {
        Node { name: name.into(), value: None, children: Vec::new(), default: true }
    }

    /// Creates a branch that is always shown.
    #[must_use]
    pub fn object(name: impl Into<String>) -> Node {
        Node { default: false, ..Node::branch(name) }
    }

    /// Creates a value without an initial value.
    #[must_use]
    pub fn leaf(name: impl Into<String>, value: Value) -> Node {
        Node { name: name.into(), value: Some(value), children: Vec::new(), default: false }
    }

    /// Adds a child.
    pub fn push(&mut self, child: Node) {
        self.default &= child.default;
        self.children.push(child);
    }

    /// Adds a value with its initial value.
    #[allow(clippy::needless_pass_by_value, reason = "callers pass temporaries")]
    pub fn put(&mut self, name: impl Into<String>, value: Value, initial: Value) {
        let default = value == initial;
        self.push(Node { default, ..Node::leaf(name, value) });
    }

    /// Adds a value that is always shown.
    pub fn fact(&mut self, name: impl Into<String>, value: Value) {
        self.push(Node::leaf(name, value));
    }

    /// Adds a value that is only shown on request.
    pub fn detail(&mut self, name: impl Into<String>, value: Value) {
        self.push(Node { default: true, ..Node::leaf(name, value) });
    }

    /// Adds a branch with these children, unless there are none.
    pub fn list(&mut self, name: impl Into<String>, children: impl Iterator<Item = Node>) {
        let mut branch = Node::branch(name);
        children.for_each(|child| branch.push(child));
        if !branch.children.is_empty() {
            self.push(branch);
        }
    }

    /// Returns a child by its name, ignoring case.
    #[must_use]
    pub fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name.eq_ignore_ascii_case(name))
    }

    /// Returns a copy without nodes that have their initial values.
    #[must_use]
    pub fn without_defaults(mut self) -> Node {
        self.children.retain(|child| !child.default);
        self.children = self.children.into_iter().map(Node::without_defaults).collect();
        self
    }
}
