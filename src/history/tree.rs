//! A history for people: rows of who wrote, and a tree of what that was made of.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use session::{History, HistoryEdge, HistoryNode, TexelValue, Verdict, Why};

use crate::amount::plural;
use crate::out::style;

/// How many of the most important texels that a node read are shown, unless the user asks for many lines.
const CHILDREN: usize = 6;

/// How a history is written.
pub struct Writer<'a> {
    pub history: &'a History,
    /// Names of commands by their numbers.
    pub names: &'a dyn Fn(u64) -> String,
    /// The frame that the pixel is looked at in.
    pub frame: Option<usize>,
    pub colour: bool,
    /// How many lines of the tree are printed.
    pub lines: usize,
    /// How many nodes there was room for.
    pub max_nodes: usize,
}

/// A line of the tree.
enum Item<'h> {
    /// A node, and how it was read.
    Node(u32, Option<&'h HistoryEdge>),
    /// How many nodes are not shown, and their share.
    More(usize, f64),
}

/// A line of the tree, and how far to the right it stands.
struct TreeLine<'h> {
    indent: usize,
    item: Item<'h>,
    /// It was there before, with all that is behind it.
    again: bool,
}

/// Ways to read that have room each.
fn kind(why: &Why) -> u8 {
    match why {
        Why::Texel { .. } | Why::Copied | Why::Filtered => 0,
        Why::Blended | Why::BlendedAlpha => 1,
        Why::Interpolated { .. } | Why::Assembled { .. } => 2,
        Why::Attribute { .. } | Why::Bytes { .. } => 3,
        Why::Uniform { .. } => 4,
        Why::State { .. } => 5,
    }
}

/// Whether an edge leads to the call that set something which all invocations of a draw read.
fn is_setting(edge: &HistoryEdge) -> bool {
    matches!(edge.why, Why::Uniform { .. } | Why::State { .. })
}

/// Whether a row is a fragment that did not get to the pixel.
fn is_fated(row: &HistoryNode) -> bool {
    row.fragment.as_ref().is_some_and(|fragment| fragment.fate != WRITTEN)
}

/// The fate of a fragment that got to the pixel.
const WRITTEN: &str = "written";

/// The verdict on a row. What a draw left is compared after its last fragment, and is the work of the last that was written.
fn judged(rows: &[HistoryNode], at: usize) -> &Verdict {
    let later = rows[at + 1..].iter().take_while(|row| row.command == rows[at].command && is_fated(row));
    later.last().map_or(&rows[at].verdict, |row| &row.verdict)
}

impl Writer<'_> {
    /// A line that says that the history does not explain the picture, or was not compared with it; nothing otherwise.
    pub fn picture(&self) -> String {
        let Some(sentence) = self.history.picture.sentence() else { return String::new() };
        match (self.colour, self.history.picture.is_wrong()) {
            (false, _) => format!("{sentence}\n"),
            (true, wrong) => format!("{}{sentence}{}\n", style(if wrong { "31" } else { "33" }), style("0")),
        }
    }

    /// The whole text.
    pub fn text(&self) -> String {
        let History { target, pixel: [x, y], before_command, value, rows, nodes, left_out, notes, .. } = self.history;
        let mut out = String::new();
        let shown = value.as_ref().map_or("cannot be read back".to_owned(), |value| self.value(value));
        let frame = self.frame.map_or(String::new(), |frame| format!(" in frame {frame},"));
        let _ = writeln!(out, "pixel {x}, {y} of {target}{frame} before command {before_command}: {shown}");
        let _ = writeln!(out, "\nwrites to it, and attempts");
        for (at, row) in rows.iter().enumerate() {
            let _ = writeln!(out, "  {}", self.row(row, judged(rows, at)));
        }
        if rows.is_empty() {
            let _ = writeln!(out, "  nothing in this frame");
        }
        if !nodes.is_empty() {
            let _ = writeln!(
                out,
                "\nwhat it was made of (x0.250: this is a quarter of what was read or blended there; what a shader then does with \
                 it is not counted)"
            );
            self.tree(&mut out);
        }
        for sentence in left_out.sentences() {
            let _ = writeln!(out, "{sentence}");
        }
        if left_out.many > 0 {
            let _ = writeln!(out, "--max-nodes {} makes room for more", self.max_nodes.saturating_mul(10));
        }
        for note in notes {
            let _ = writeln!(out, "note: {note}");
        }
        if !nodes.is_empty() {
            let _ = writeln!(out, "\n{}", self.tally());
        }
        out
    }

    fn row(&self, row: &HistoryNode, verdict: &Verdict) -> String {
        let mut text = format!("{:>7} {:<26} {:<9}", row.command, (self.names)(row.command), row.kind.name());
        if let Some(fragment) = &row.fragment {
            let primitive = fragment.primitive.map_or(String::new(), |number| format!("primitive {number}"));
            let _ = write!(text, " {primitive:<14} depth {:<11} {:<14}", fragment.depth.0, fragment.fate);
            if fragment.fixed {
                text.push_str(" fixed functions");
            }
            if fragment.assembly {
                text.push_str(" an assembly program");
            }
            if let Some(colour) = &fragment.measured {
                let gives = if fragment.fixed { "give" } else { "gives" };
                let _ = write!(text, " {gives} {}", self.value(colour));
            }
        }
        // One that was culled or failed a test left the pixel as it was.
        if is_fated(row) {
            text.truncate(text.trim_end().len());
            text.push_str(", not written");
            return text;
        }
        if let Some(after) = &row.after {
            let _ = write!(text, " -> {}", self.value(after));
        }
        if row.fragment.is_some() && !matches!(verdict, Verdict::Unchecked(_)) {
            let _ = write!(text, "  {}", self.verdict(verdict));
        }
        text
    }

    fn tree(&self, out: &mut String) {
        let lines = self.tree_lines();
        // What is nearest to the pixel comes first where there is not room for all.
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|place| lines[*place].indent);
        let mut is_shown = vec![false; lines.len()];
        order.iter().take(self.lines).for_each(|place| is_shown[*place] = true);
        // How many lines are below each, and whether some directly below it are not shown.
        let (mut inner, mut cut, mut above) = (vec![0_usize; lines.len()], vec![false; lines.len()], Vec::new());
        for (place, line) in lines.iter().enumerate() {
            while above.last().is_some_and(|last: &usize| lines[*last].indent >= line.indent) {
                above.pop();
            }
            if let Some(parent) = above.last() {
                cut[*parent] |= !is_shown[place];
            }
            above.iter().for_each(|outer| inner[*outer] += 1);
            above.push(place);
        }
        for (place, line) in lines.iter().enumerate().filter(|(place, _)| is_shown[*place]) {
            let text = match line.item {
                Item::Node(id, edge) => {
                    let Some(node) = self.history.node(id) else { continue };
                    let node = edge.map_or(Cow::Borrowed(node), |edge| node.as_read(edge));
                    let below = match cut[place] {
                        true => format!("  … {}", plural(inner[place] as u64, "line")),
                        false => String::new(),
                    };
                    self.node(&node, edge, line.again) + &below
                }
                Item::More(more, weight) => {
                    // Uniforms and what alpha alone keeps have no share.
                    let share = if weight > 0.0 { format!(", together x{weight:.3}") } else { String::new() };
                    format!("+ {more} more{share}")
                }
            };
            let _ = writeln!(out, "{}{text}", "  ".repeat(line.indent));
        }
        if lines.len() > self.lines {
            let more = plural((lines.len() - self.lines) as u64, "more line");
            let _ = writeln!(
                out,
                "… {more}: --lines {} prints them; --depth 1 goes back one pass only, --no-vertices and --min-weight 0.1 leave \
                 out more",
                lines.len()
            );
        }
    }

    /// All lines of the tree, each under the one that read it.
    fn tree_lines(&self) -> Vec<TreeLine<'_>> {
        let mut children: BTreeMap<u32, Vec<&HistoryEdge>> = BTreeMap::new();
        for edge in &self.history.edges {
            children.entry(edge.from).or_default().push(edge);
        }
        for list in children.values_mut() {
            list.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        }
        let read: BTreeSet<u32> = self.history.edges.iter().map(|edge| edge.to).collect();
        // A user who asks for more lines wants to see them.
        let most = CHILDREN.max(self.lines / 8);
        let (mut lines, mut shown, mut settings) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        let roots = self.history.nodes.iter().filter(|node| !read.contains(&node.id));
        // Deepest last, so that the first is taken first.
        let mut stack: Vec<(usize, Item<'_>)> = roots.map(|node| (1, Item::Node(node.id, None))).collect();
        stack.reverse();
        while let Some((indent, item)) = stack.pop() {
            let id = match item {
                Item::Node(id, _) => id,
                Item::More(..) => {
                    lines.push(TreeLine { indent, item, again: false });
                    continue;
                }
            };
            let known = !shown.insert(id);
            let again = known && children.contains_key(&id);
            lines.push(TreeLine { indent, item, again });
            if known {
                continue;
            }
            let list = children.get(&id).map_or(&[][..], Vec::as_slice);
            let (mut below, mut left, mut rest) = (Vec::new(), 0, 0.0);
            let mut kinds: BTreeMap<u8, usize> = BTreeMap::new();
            for edge in list {
                // Of what has no share, once is enough: all vertices of a draw have the same uniforms.
                if is_setting(edge) && !settings.insert(edge.to) {
                    continue;
                }
                // The texels that it read leave the vertices that it was made of their room, and the other way round.
                let count = kinds.entry(kind(&edge.why)).or_default();
                *count += 1;
                // A matrix may be the product of several calls.
                let most = if matches!(edge.why, Why::State { .. }) { most * 3 } else { most };
                if *count <= most {
                    below.push((indent + 1, Item::Node(edge.to, Some(*edge))));
                } else {
                    (left, rest) = (left + 1, rest + edge.weight);
                }
            }
            if left > 0 {
                below.push((indent + 1, Item::More(left, rest)));
            }
            stack.extend(below.into_iter().rev());
        }
        lines
    }

    fn node(&self, node: &HistoryNode, edge: Option<&HistoryEdge>, known: bool) -> String {
        let mut text = String::new();
        if let Some(edge) = edge {
            let why = match &edge.why {
                Why::Texel { sampler, line: Some(line) } => format!("line {line} reads {sampler}"),
                Why::Texel { sampler, line: None } => format!("reads {sampler}"),
                Why::Blended => "blended over".to_owned(),
                Why::BlendedAlpha => "blended over, alpha only".to_owned(),
                Why::Copied => "copied from".to_owned(),
                Why::Filtered => "filtered from".to_owned(),
                Why::Interpolated { .. } => "interpolated from".to_owned(),
                Why::Assembled { vertex } => format!("vertex {vertex}"),
                Why::Attribute { name } => format!("attribute {name}"),
                Why::Uniform { name } => format!("uniform {name}"),
                Why::State { name } => format!("state {name}"),
                Why::Bytes { block } => format!("reads {block}"),
            };
            // Of uniforms and where values are not finite, no share is known.
            let _ = match edge.weight {
                0.0 => write!(text, "{why}: "),
                weight => write!(text, "{why} x{weight:.3}: "),
            };
        }
        let command = match node.subject {
            None => String::new(),
            Some(_) => format!(" {}", (self.names)(node.command)),
        };
        let _ = write!(text, "{}{command} {} {}", node.command, node.kind, node.subject_text());
        if let Some(primitive) = node.fragment.as_ref().and_then(|fragment| fragment.primitive) {
            let _ = write!(text, ", primitive {primitive}");
        }
        if node.fragment.as_ref().is_some_and(|fragment| fragment.fixed) {
            text.push_str(", fixed functions");
        }
        if node.fragment.as_ref().is_some_and(|fragment| fragment.assembly) {
            text.push_str(", an assembly program (its translation is stepped)");
        }
        if node.texels > 1 {
            let _ = write!(text, " and {} more", plural(node.texels - 1, "texel"));
        }
        if let Some(value) = node.after.as_ref() {
            let _ = write!(text, "  {}", self.value(value));
        }
        match &node.verdict {
            Verdict::Unchecked(_) => {}
            verdict => {
                let _ = write!(text, "  {}", self.verdict(verdict));
            }
        }
        if known {
            text.push_str("  (see above)");
        }
        text
    }

    /// What a texel holds.
    pub fn value(&self, value: &TexelValue) -> String {
        match value {
            TexelValue::Float(channels) => {
                let numbers = channels.map(|channel| format!("{channel:.4}")).join(" ");
                format!("{}{numbers}", self.swatch(channels))
            }
            TexelValue::Int(channels) => channels.map(|channel| channel.to_string()).join(" "),
            TexelValue::Uint(channels) => channels.map(|channel| channel.to_string()).join(" "),
            TexelValue::Depth(depth) => format!("depth {depth}"),
            TexelValue::Stencil(stencil) => format!("stencil {stencil}"),
        }
    }

    /// A patch of the colour, on terminals.
    fn swatch(&self, channels: &[f32; 4]) -> String {
        if !self.colour {
            return String::new();
        }
        let [red, green, blue] = [0, 1, 2].map(|channel: usize| (channels[channel].clamp(0.0, 1.0) * 255.0) as u8);
        format!("{}  {} ", style(&format!("48;2;{red};{green};{blue}")), style("0"))
    }

    /// Returns a verdict as text.
    pub fn verdict(&self, verdict: &Verdict) -> String {
        let (text, code) = match verdict {
            Verdict::Equal => ("equal".to_owned(), "32"),
            Verdict::Within(units) => (format!("within {units} ulp"), "32"),
            Verdict::Differs(units) => (format!("differs by {units} ulp"), "31"),
            Verdict::Unchecked(why) => (format!("not compared: {why}"), "33"),
        };
        if self.colour { format!("{}{text}{}", style(code), style("0")) } else { text }
    }

    fn tally(&self) -> String {
        let count =
            |holds: &dyn Fn(&Verdict) -> bool| self.history.nodes.iter().filter(|node| holds(&node.verdict)).count();
        let equal = count(&|verdict| *verdict == Verdict::Equal);
        let within = count(&|verdict| matches!(verdict, Verdict::Within(_)));
        let differs = count(&|verdict| matches!(verdict, Verdict::Differs(_)));
        let nodes = self.history.nodes.len();
        let compared = equal + within + differs;
        format!(
            "{}, {compared} of them emulated: {equal} equal, {within} within rounding, {differs} different",
            plural(nodes as u64, "node")
        )
    }
}
