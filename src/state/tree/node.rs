//! Nodes of the tree.

use super::value::Value;

/// A node: a value, or a branch, or an object that is both.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// What it is called: one part of a path.
    pub name: String,
    /// Its value; branches have none.
    pub value: Option<Value>,
    /// What belongs to it. No two have the same name.
    pub children: Vec<Node>,
    /// Whether it, and all that belongs to it, is as GL has it initially, so that people seldom want to see it.
    pub default: bool,
}

impl Node {
    /// A branch, which is of interest as far as its children are.
    #[must_use]
    pub fn branch(name: impl Into<String>) -> Node {
        Node { name: name.into(), value: None, children: Vec::new(), default: true }
    }

    /// A branch that is of interest because it exists.
    #[must_use]
    pub fn object(name: impl Into<String>) -> Node {
        Node { default: false, ..Node::branch(name) }
    }

    /// A value that there is no initial one for.
    #[must_use]
    pub fn leaf(name: impl Into<String>, value: Value) -> Node {
        Node { name: name.into(), value: Some(value), children: Vec::new(), default: false }
    }

    /// Adds a child.
    pub fn push(&mut self, child: Node) {
        self.default &= child.default;
        self.children.push(child);
    }

    /// Adds a value and says what it is initially.
    #[allow(clippy::needless_pass_by_value, reason = "both values are made where this is called")]
    pub fn put(&mut self, name: impl Into<String>, value: Value, initial: Value) {
        let default = value == initial;
        self.push(Node { default, ..Node::leaf(name, value) });
    }

    /// Adds a value that is always of interest.
    pub fn fact(&mut self, name: impl Into<String>, value: Value) {
        self.push(Node::leaf(name, value));
    }

    /// Adds a value that only those want to see who want to see all.
    pub fn detail(&mut self, name: impl Into<String>, value: Value) {
        self.push(Node { default: true, ..Node::leaf(name, value) });
    }

    /// Adds a branch with these children; nothing when there are none.
    pub fn list(&mut self, name: impl Into<String>, children: impl Iterator<Item = Node>) {
        let mut branch = Node::branch(name);
        children.for_each(|child| branch.push(child));
        if !branch.children.is_empty() {
            self.push(branch);
        }
    }

    /// A child by its name; letters may be large or small.
    #[must_use]
    pub fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name.eq_ignore_ascii_case(name))
    }

    /// The same without what is as it is initially.
    #[must_use]
    pub fn without_defaults(mut self) -> Node {
        self.children.retain(|child| !child.default);
        self.children = self.children.into_iter().map(Node::without_defaults).collect();
        self
    }
}
