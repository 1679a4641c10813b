//! Texture reads, passes and the history: commands that lead into the past.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use anyhow::{Context, bail};
use session::{Choice, History, HistoryEdge, HistoryNode, HistoryRequest, Invocation, NodeKind, Read, Verdict, Why};

use super::Desk;
use crate::debug::place::number;

/// Texels of a read that are listed.
const MOST_TEXELS: usize = 8;

/// Passes that `way` looks back.
const WAY_DEPTH: u32 = 2;

/// Lines of a history in text.
const MOST_LINES: usize = 60;

/// How the user came to the invocation that is walked through, which may be several nodes of a history: one for each image
/// that it writes to.
#[derive(Default)]
pub enum Entered {
    /// In a way that says nothing about that.
    #[default]
    Anyhow,
    /// As a node of the history.
    Node(u32),
    /// Through a read of this image.
    Image(String),
}

/// A node of a history where it stands in the tree.
pub struct Leaf<'h> {
    pub node: Cow<'h, HistoryNode>,
    /// How far from the root.
    pub depth: usize,
    /// How the one above depends on it.
    pub edge: Option<&'h HistoryEdge>,
    /// It was shown above already, with all that is behind it.
    pub again: bool,
    /// Its draw has other fragments at the pixel, so that its primitive is worth knowing.
    pub several: bool,
}

impl<'h> Leaf<'h> {
    fn new(node: &'h HistoryNode, depth: usize, edge: Option<&'h HistoryEdge>, several: bool) -> Leaf<'h> {
        let node = edge.map_or(Cow::Borrowed(node), |edge| node.as_read(edge));
        Leaf { node, depth, edge, again: false, several }
    }
}

impl Desk {
    pub(super) fn reads(&mut self) -> anyhow::Result<String> {
        self.here()?;
        let mut out = String::new();
        let ahead = self.session.reads()?;
        let behind = self.session.last_reads()?;
        for (title, reads) in [("about to be read", &ahead), ("just read", &behind)] {
            if !reads.is_empty() {
                let _ = writeln!(out, "{title}");
                reads.iter().for_each(|read| tell_read(&mut out, read));
            }
        }
        Ok(if out.is_empty() { "no texture is read here\n".to_owned() } else { out })
    }

    pub(super) fn enter_read(&mut self, rest: &str) -> anyhow::Result<String> {
        self.here()?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let reads = self.session.reads()?;
        if reads.is_empty() && !self.session.last_reads()?.is_empty() {
            bail!(
                "the read has been done: the next statement reads no texture; `reverse-next` goes to the one that does"
            );
        }
        if reads.is_empty() {
            bail!("the next statement reads no texture; step to one that does");
        }
        let (read, texel) = match words.as_slice() {
            [] => broken_texel(&reads).unwrap_or((0, 0)),
            [read] => (number(read, "number of a read")?, 0),
            [read, texel] => (number(read, "number of a read")?, number(texel, "number of a texel")?),
            _ => bail!("it is `into-read [READ [TEXEL]]`; `reads` lists them"),
        };
        let image = reads.get(read).map(|read| read.texture.clone());
        let from = self.session.position().ok();
        let stop = self.session.step_into_read(read, texel)?;
        self.leave(from);
        self.entered = image.map_or_else(Entered::default, Entered::Image);
        let by = self.session.passes().last().and_then(|pass| pass.entered_by.clone());
        let mut by = by.map_or(String::new(), |by| format!("entered by {by}\n"));
        if reads.len() > 1 {
            let count = reads.len();
            let _ = writeln!(
                by,
                "the statement has {count} reads, of which this is read {read}; `back`, then `into-read N` enters another"
            );
        }
        Ok(by + &self.arrive(stop))
    }

    pub(super) fn passes(&mut self) -> anyhow::Result<String> {
        self.here()?;
        let mut out = String::new();
        for (number, pass) in self.session.passes().iter().enumerate() {
            let by = pass.entered_by.as_ref().map_or(String::new(), |by| format!("\n    entered by {by}"));
            let _ = writeln!(out, "{number}: {}, {}{by}", pass.invocation.name, pass.invocation.frame_name());
        }
        Ok(out)
    }

    pub(super) fn last_write(&mut self, path: &str) -> anyhow::Result<String> {
        self.here()?;
        if path.is_empty() {
            bail!("say which variable: `last-write color`");
        }
        let Some(write) = self.session.last_write(self.frame, path)? else {
            return Ok(format!("{path} has not been written since the invocation began\n"));
        };
        let said = format!("{path} was {} and became {}\n", write.old, write.new);
        let stop = self.session.go_to_time(write.time)?;
        Ok(said + &self.arrive(stop))
    }

    pub(super) fn tell_history(&mut self, rest: &str) -> anyhow::Result<String> {
        let depth: u32 = if rest.is_empty() { 1 } else { number(rest, "number of passes")? };
        self.remember(Some(depth))?;
        let invocation = self.here()?.invocation.clone();
        let graph = self.history.as_ref().context("there is no history")?;
        let mut out = picture_note(graph);
        let [x, y] = graph.pixel;
        let value = graph.value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
        let _ = writeln!(out, "{x},{y} of {}{value}", graph.target);
        let all = tree(graph, &invocation, &self.entered);
        for leaf in all.iter().take(MOST_LINES) {
            let _ = writeln!(out, "{:>4} {}{}", leaf.node.id, "  ".repeat(leaf.depth), line(leaf));
        }
        if all.len() > MOST_LINES {
            let _ = writeln!(out, "and {} more", all.len() - MOST_LINES);
        }
        Ok(out + &other_notes(graph))
    }

    /// What the history leaves out or cannot be sure of, a line each.
    pub fn history_notes(&self) -> String {
        self.history.as_ref().map_or_else(String::new, |graph| picture_note(graph) + &other_notes(graph))
    }

    /// Asks what the chosen pixel was made of.
    ///
    /// # Errors
    /// When it is no pixel, or the device gives no answer.
    pub fn remember(&mut self, depth: Option<u32>) -> anyhow::Result<()> {
        let passes = self.session.passes();
        let choice = match (&self.chosen, passes.first()) {
            (Some(choice @ (Choice::Pixel { .. } | Choice::Fragment { .. })), _) => choice,
            (Some(_), _) => bail!("a history is one of a pixel, and a {} was chosen", passes[0].invocation.stage),
            (None, _) => bail!("no pixel was chosen; choose one with `pixel X,Y`"),
        };
        let request = HistoryRequest { depth, ..HistoryRequest::of(choice)? };
        self.history = Some(self.session.history(&request)?);
        self.history_depth = depth.unwrap_or(0);
        Ok(())
    }

    /// Asks the same one pass further back than before; returns how many passes that is.
    ///
    /// # Errors
    /// When it is no pixel, or the device gives no answer.
    pub fn remember_further(&mut self) -> anyhow::Result<u32> {
        let depth = if self.history.is_some() { self.history_depth + 1 } else { 1 };
        self.remember(Some(depth))?;
        Ok(depth)
    }

    /// How the chosen pixel depends on where one stands.
    pub(super) fn tell_way(&mut self) -> anyhow::Result<String> {
        let invocation = self.here()?.invocation.clone();
        if self.history.is_none() {
            self.remember(Some(WAY_DEPTH))?;
        }
        let graph = self.history.as_ref().context("there is no history")?;
        let Some(way) = way(graph, here(graph, &invocation, &self.entered)) else {
            bail!(
                "the history of the pixel, as far as it is known, does not come by here; `history N` goes further back"
            );
        };
        let mut out = String::new();
        let crowded = crowded(graph);
        for (depth, (edge, node)) in way.into_iter().enumerate() {
            let several = crowded.contains(&(node.command, node.at));
            let leaf = Leaf::new(node, depth, edge, several);
            let _ = writeln!(out, "{:>4} {}{}", node.id, "  ".repeat(depth), line(&leaf));
        }
        Ok(out)
    }

    pub(super) fn enter_node(&mut self, rest: &str) -> anyhow::Result<String> {
        let wanted: u32 = number(rest, "number of a node")?;
        let graph = self.history.as_ref().context("there is no history yet; `history` makes one")?;
        let node = graph.node(wanted).with_context(|| format!("the history has no node {wanted}"))?;
        let Some(choice) = node.choice() else {
            let (call, command) = (self.session.call_title(node.command), node.command);
            let what = title(&Leaf::new(node, 0, None, false));
            bail!(
                "no shader runs in {call} (command {command}), which made {what}; `afterimage dump --range {command}` shows it"
            );
        };
        // The history stays that of the pixel.
        let (history, chosen) = (self.history.take(), self.chosen.clone());
        let said = self.enter(&choice);
        (self.history, self.chosen) = (history, chosen);
        self.entered = if said.is_ok() { Entered::Node(wanted) } else { Entered::default() };
        said
    }
}

/// A history as a tree, in the order in which it is read: each node under the one that needs it; first what leads
/// to where one stands, then what is no number, pixels before vertices and uniforms, with the largest shares first.
pub fn tree<'h>(graph: &'h History, invocation: &Invocation, entered: &Entered) -> Vec<Leaf<'h>> {
    let mut out = Vec::new();
    let on_way = way(graph, here(graph, invocation, entered)).unwrap_or_default();
    let on_way = |id: u32| on_way.iter().any(|(_, node)| node.id == id);
    let mut seen = vec![false; graph.nodes.len()];
    let crowded = crowded(graph);
    let Some(first) = graph.nodes.first() else { return out };
    // What is to be shown yet, the next one last.
    let mut todo: Vec<(u32, usize, Option<&HistoryEdge>)> = vec![(first.id, 0, None)];
    while let Some((id, depth, edge)) = todo.pop() {
        let Some(node) = graph.node(id) else { continue };
        let again = std::mem::replace(&mut seen[id as usize], true);
        // Of vertices and uniforms once is enough.
        if again && node.after.is_none() {
            continue;
        }
        let several = crowded.contains(&(node.command, node.at));
        out.push(Leaf { again: again && node.texels <= 1, ..Leaf::new(node, depth, edge, several) });
        if again {
            continue;
        }
        let mut below: Vec<_> = graph.edges.iter().filter(|edge| edge.from == id).collect();
        let is_broken = |id: u32| graph.node(id).is_some_and(is_broken);
        let order = |edge: &&HistoryEdge| (on_way(edge.to), is_broken(edge.to), is_pixel(edge));
        below.sort_by(|a, b| order(a).cmp(&order(b)).then(a.weight.total_cmp(&b.weight)));
        todo.extend(below.iter().map(|edge| (edge.to, depth + 1, Some(*edge))));
    }
    out
}

/// A node in one line.
pub fn line(leaf: &Leaf<'_>) -> String {
    let node = &leaf.node;
    let why = leaf.edge.map_or(String::new(), |edge| format!("{}: ", edge.why));
    let value = node.after.as_ref().map_or(String::new(), |value| format!(" = {value}"));
    let again = if leaf.again { " (above)" } else { "" };
    let verdict = if matches!(node.verdict, Verdict::Differs(_)) { " - the emulator differs" } else { "" };
    format!("{why}{} (command {}){}{value}{verdict}{again}", title(leaf), node.command, share(leaf))
}

/// What the node of a leaf is, without saying its kind twice.
pub fn title(leaf: &Leaf<'_>) -> String {
    let node = &leaf.node;
    let primitive = node.fragment.as_ref().and_then(|fragment| fragment.primitive).filter(|_| leaf.several);
    let primitive = primitive.map_or(String::new(), |number| format!(", primitive {number}"));
    match node.kind {
        NodeKind::Value | NodeKind::Vertex => node.name(),
        kind => format!("{kind} {}{primitive}", node.name()),
    }
}

/// The draws and pixels at which a history has several fragments.
fn crowded(graph: &History) -> BTreeSet<(u64, [u32; 2])> {
    let mut seen = BTreeSet::new();
    let draws = graph.nodes.iter().filter(|node| node.kind == NodeKind::Draw);
    draws.map(|node| (node.command, node.at)).filter(|place| !seen.insert(*place)).collect()
}

/// Whether what a node left is no number.
pub fn is_broken(node: &HistoryNode) -> bool {
    node.after.is_some_and(|value| value.has_nan())
}

/// The node that is the invocation that is walked through: of several fragments of a draw that of its primitive, or the
/// first where primitives are not known.
pub fn here(graph: &History, invocation: &Invocation, entered: &Entered) -> Option<u32> {
    // A draw that writes to several images at a pixel has a node for each: the one that the user took stays the place.
    let image = match entered {
        Entered::Node(id) if graph.node(*id).is_some_and(|node| is_at(node, invocation)) => return Some(*id),
        Entered::Image(image) => Some(image.as_str()),
        Entered::Node(_) | Entered::Anyhow => None,
    };
    let number = |node: &HistoryNode| node.fragment.as_ref().and_then(|fragment| fragment.primitive);
    let own = |node: &&HistoryNode| number(node).is_some_and(|number| i64::from(number) == i64::from(invocation.id[2]));
    let all = || graph.nodes.iter().filter(|node| is_at(node, invocation));
    let read = || all().filter(|node| image.is_some_and(|image| *node.image == *image));
    let found = read().find(own).or_else(|| read().next()).or_else(|| all().find(own)).or_else(|| all().next());
    found.map(|node| node.id)
}

/// Whether a node is the invocation that is walked through, or another fragment at its pixel.
fn is_at(node: &HistoryNode, invocation: &Invocation) -> bool {
    let is = |a: u32, b: i32| i64::from(a) == i64::from(b);
    let id = &invocation.id;
    node.command == invocation.command
        && match node.choice() {
            Some(Choice::Fragment { x, y, .. }) => is(x, id[0]) && is(y, id[1]) && invocation.stage == "fragment",
            Some(Choice::Vertex { vertex, .. }) => is(vertex, id[0]) && invocation.stage == "vertex",
            Some(Choice::Thread { id: [x, y, z], .. }) => is(x, id[0]) && is(y, id[1]) && is(z, id[2]),
            _ => false,
        }
}

/// The first texel that is no number, and its read.
fn broken_texel(reads: &[Read]) -> Option<(usize, usize)> {
    let broken = |value: &Option<[f64; 4]>| value.is_some_and(|value| value.iter().any(|number| number.is_nan()));
    let texel = |read: &Read| read.texels.iter().position(|texel| broken(&texel.value));
    reads.iter().enumerate().find_map(|(number, read)| Some((number, texel(read)?)))
}

/// Whether an edge leads to what a pixel or texel held.
fn is_pixel(edge: &HistoryEdge) -> bool {
    matches!(edge.why, Why::Texel { .. } | Why::Blended | Why::BlendedAlpha | Why::Copied | Why::Filtered)
}

/// The way from the pixel to a node with as few events as there can be, through those that are no number where that is
/// possible: the edges, from the pixel on.
fn way(graph: &History, wanted: Option<u32>) -> Option<Vec<(Option<&HistoryEdge>, &HistoryNode)>> {
    let wanted = wanted?;
    let node = |id: u32| graph.node(id);
    let first = graph.nodes.first()?;
    let mut came: BTreeMap<u32, &HistoryEdge> = BTreeMap::new();
    let mut todo = VecDeque::from([first.id]);
    let mut end = None;
    while let Some(id) = todo.pop_front() {
        if id == wanted {
            end = Some(id);
            break;
        }
        let mut below: Vec<&HistoryEdge> = graph.edges.iter().filter(|edge| edge.from == id).collect();
        below.sort_by_key(|edge| !node(edge.to).is_some_and(is_broken));
        for edge in below {
            if edge.to != first.id && !came.contains_key(&edge.to) {
                came.insert(edge.to, edge);
                todo.push_back(edge.to);
            }
        }
    }
    let mut at = end?;
    let mut out = Vec::new();
    while let Some(edge) = came.get(&at) {
        out.push((Some(*edge), node(at)?));
        at = edge.from;
    }
    out.push((None, first));
    out.reverse();
    Some(out)
}

/// The share of a leaf in the one above, for people. What is all of it goes without saying, except of what was there before a
/// fragment. Of what is no number, no share is known.
pub fn share(leaf: &Leaf<'_>) -> String {
    let Some(edge) = leaf.edge else { return String::new() };
    let is_all = edge.weight >= 0.9995;
    if edge.weight < 0.0005 || is_all && edge.why != Why::Blended {
        return String::new();
    }
    format!(" {:.1}%", edge.weight * 100.0)
}

fn tell_read(out: &mut String, read: &Read) {
    let place = read.location.as_ref().map_or(String::new(), |at| format!(", line {}: {}", at.line, at.text));
    let _ = writeln!(out, "  read {} of {} (unit {}){place}", read.number, read.texture, read.unit);
    for (number, texel) in read.texels.iter().enumerate().take(MOST_TEXELS) {
        let [x, y] = texel.at;
        let value = texel
            .value
            .map_or(String::new(), |value| format!(" = {}", value.map(|v| (v as f32).to_string()).join(" ")));
        let level = if texel.level > 0 { format!(" of level {}", texel.level) } else { String::new() };
        let _ = writeln!(out, "    texel {number}: {x},{y}{level}, share {:.3}{value}", texel.weight);
    }
    if read.texels.len() > MOST_TEXELS {
        let _ = writeln!(out, "    and {} more", read.texels.len() - MOST_TEXELS);
    }
}

/// That a history does not explain the picture, or was not compared with it; empty if it does.
fn picture_note(graph: &History) -> String {
    graph.picture.sentence().map_or_else(String::new, |sentence| format!("note: {sentence}\n"))
}

/// What a history leaves out or cannot be sure of, a line each.
fn other_notes(graph: &History) -> String {
    graph.left_out.sentences().iter().chain(&graph.notes).map(|note| format!("note: {note}\n")).collect()
}
