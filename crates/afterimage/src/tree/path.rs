//! Finds parts of the tree by path.

use std::fmt;

use super::node::Node;

/// There is no node at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotThere {
    /// The missing part of the path.
    pub missing: String,
    /// Where it was searched: `in context/1`, or `at the top`.
    pub within: String,
    /// The names that exist there.
    pub there: Vec<String>,
}

impl std::error::Error for NotThere {}

/// Kinds of objects, each of which is in the tree only if there is one.
const OBJECTS: [&str; 9] =
    ["texture", "buffer", "renderbuffer", "sampler", "shader", "program", "framebuffer", "query", "sync"];

/// Names that an error lists.
const MOST: usize = 12;

impl fmt::Display for NotThere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.within == "at the top" && OBJECTS.contains(&self.missing.as_str()) {
            return write!(f, "there is no {} at this command", self.missing);
        }
        // `textures` for `texture`, half a name, or a slip.
        let is_like = |name: &&str| {
            let (one, other) = (name.to_lowercase(), self.missing.to_lowercase());
            let begins = one.starts_with(&other) || other.starts_with(&one) && one.len() + 2 >= other.len();
            other.len() > 2 && (begins || is_slip(&one, &other))
        };
        let objects = OBJECTS.into_iter().filter(|_| self.within == "at the top");
        let all = || self.there.iter().map(String::as_str).chain(objects.clone());
        let there = if let Some(like) = all().find(is_like) {
            format!("did you mean `{like}`?")
        } else if self.there.is_empty() {
            "it is empty".to_owned()
        } else if self.there.len() > MOST {
            let (some, more) = (self.there[..MOST].join(", "), self.there.len() - MOST);
            format!("choose one of: {some} and {more} more; the state without a path lists all")
        } else {
            format!("choose one of: {}", self.there.join(", "))
        };
        write!(f, "there is no `{}` {}; {there}", self.missing, self.within)
    }
}

/// Returns whether a word is another with one letter too many, too few or wrong, or with two swapped.
fn is_slip(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let before = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[before..], &other[before..]);
    let after = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[..one.len() - after], &other[..other.len() - after]);
    match (one, other) {
        ([a, b], [c, d]) => a == d && b == c,
        _ => one.len() <= 1 && other.len() <= 1,
    }
}

/// A node and its path.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundNode<'n> {
    /// Names from the root on.
    pub path: Vec<String>,
    /// The node.
    pub node: &'n Node,
}

/// Returns the node at a path. A path starts at the root or, if the root has no such child, in one of `bases`: so
/// `blend` is that of the current context, and `texture/5` that of its share group.
///
/// # Errors
/// When there is no such node; the error lists the alternatives where the path fails.
pub fn find<'n>(root: &'n Node, bases: &[Vec<String>], path: &str) -> Result<FoundNode<'n>, NotThere> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let places: Vec<FoundNode<'n>> = std::iter::once(FoundNode { path: Vec::new(), node: root })
        .chain(bases.iter().filter_map(|base| walk(root, base).ok()))
        .collect();
    let Some(first) = parts.first() else { return Ok(FoundNode { path: Vec::new(), node: root }) };
    let Some(base) = places.iter().find(|place| place.node.child(first).is_some()) else {
        let mut there: Vec<String> = Vec::new();
        for child in places.iter().flat_map(|place| &place.node.children) {
            if !there.contains(&child.name) {
                there.push(child.name.clone());
            }
        }
        return Err(NotThere { missing: (*first).to_owned(), within: "at the top".to_owned(), there });
    };
    let rest = walk(base.node, &parts).map_err(|error| match spelled(&base.path).as_str() {
        "" => error,
        // The path found so far is given from the root on.
        place => NotThere { within: error.within.replacen("in ", &format!("in {place}/"), 1), ..error },
    })?;
    let path = base.path.iter().cloned().chain(rest.path).collect();
    Ok(FoundNode { path, node: rest.node })
}

/// Returns a path as a string.
#[must_use]
pub fn spelled(path: &[String]) -> String {
    path.join("/")
}

fn walk<'n, S: AsRef<str>>(from: &'n Node, parts: &[S]) -> Result<FoundNode<'n>, NotThere> {
    let mut found = FoundNode { path: Vec::new(), node: from };
    for part in parts {
        let Some(child) = found.node.child(part.as_ref()) else {
            let there = found.node.children.iter().map(|child| child.name.clone()).collect();
            let within = format!("in {}", spelled(&found.path));
            return Err(NotThere { missing: part.as_ref().to_owned(), within, there });
        };
        found.path.push(child.name.clone());
        found.node = child;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Value;

    fn example() -> Node {
        let mut blend = Node::branch("blend");
        blend.fact("equation", Value::gl(api::constant::GL_FUNC_ADD));
        let mut context = Node::object("1");
        context.push(blend);
        let mut root = Node::branch("");
        root.list("context", std::iter::once(context));
        root
    }

    #[test]
    fn paths_start_at_the_root_or_in_a_base() {
        let (root, base) = (example(), vec![vec!["context".to_owned(), "1".to_owned()]]);
        for path in ["context/1/blend/equation", "blend/equation", "/Blend//EQUATION/"] {
            let found = find(&root, &base, path).unwrap();
            assert_eq!(spelled(&found.path), "context/1/blend/equation");
        }
        assert_eq!(find(&root, &base, "").unwrap().node, &root);
    }

    #[test]
    fn a_wrong_path_lists_the_alternatives() {
        let (root, base) = (example(), vec![vec!["context".to_owned(), "1".to_owned()]]);
        let error = |path| find(&root, &base, path).unwrap_err().to_string();
        assert_eq!(error("blend/function"), "there is no `function` in context/1/blend; choose one of: equation");
        assert_eq!(error("context/2"), "there is no `2` in context; choose one of: 1");
        assert_eq!(error("texture/5"), "there is no texture at this command");
        assert_eq!(error("textures"), "there is no `textures` at the top; did you mean `texture`?");
        assert_eq!(error("blending"), "there is no `blending` at the top; choose one of: context, blend");
        assert_eq!(error("textre/5"), "there is no `textre` at the top; did you mean `texture`?");
        assert_eq!(error("bufefr/5"), "there is no `bufefr` at the top; did you mean `buffer`?");
        assert_eq!(error("ble"), "there is no `ble` at the top; did you mean `blend`?");
        assert_eq!(error("depth"), "there is no `depth` at the top; choose one of: context, blend");
    }
}
