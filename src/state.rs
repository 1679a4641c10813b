//! `afterimage state`: what GL's state is after a command, as the model knows it.

mod bench;
pub mod place;
mod text;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use afterimage::tree::{self, Difference, Node, Value};
use afterimage::{StatePart, StateTree, Trace, Tree};
use host::Host;
use trace::Reader;

use crate::cli::{Color, Outcome};
use crate::json;
use crate::json::state::{DiffDocument, Document};
use crate::replay::mention_damage;
use place::CommandRef;

const HELP: &str = "\
Examples:
  afterimage state game.aftr --at 1200                    everything that differs from the initial state
  afterimage state game.aftr --at 1200 blend              one family of the context that command 1200 used
  afterimage state game.aftr --at 1200 context/2/depth --all
  afterimage state game.aftr --at 1200 texture/5          an object
  afterimage state game.aftr --at 1200 program/3/uniforms
  afterimage state game.aftr --at 1200 --diff 1300        what changed from command 1200 to command 1300
  afterimage state game.aftr --at frame:10 --diff frame:11
  afterimage state game.aftr --at -1 --json               at the end, for scripts

A path begins at the top (thread, surface, context, share) or, for short, in the context of the command or in what that
context shares. A path that leads nowhere is answered with what there is.

Exit status: 0 done, 1 --diff found no difference, 2 the request could not be served.";

/// Show GL's state after a command: contexts, objects, bindings.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Show only this part, such as `blend`, `context/1/viewport` or `texture/5`.
    #[arg(value_name = "PATH", default_value = "")]
    path: String,
    /// Show the state after this command: its number, -1 for the last one, or frame:N for the last one of a frame.
    #[arg(long, value_name = "CMD", allow_hyphen_values = true, required_unless_present = "bench")]
    at: Option<CommandRef>,
    /// Show only what differs after this other command.
    #[arg(long, value_name = "CMD", allow_hyphen_values = true)]
    diff: Option<CommandRef>,
    /// Show also state with initial values, limits, and other contexts.
    #[arg(long)]
    all: bool,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
    /// Measure how long it takes to compute the state after N random commands, and print JSON.
    #[arg(long, value_name = "N", hide = true)]
    bench: Option<usize>,
    /// With --bench: make a snapshot every N commands.
    #[arg(long, value_name = "N", hide = true, requires = "bench")]
    interval: Option<u64>,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
}

/// Prints the state, or what two states differ in.
///
/// # Errors
/// When the trace cannot be read, or there is no such command or path.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if let Some(samples) = args.bench {
        let measured = bench::measure(&args.trace, samples, args.interval)?;
        std::io::stdout().write_all(json::pretty(&measured)?.as_bytes())?;
        return Ok(Outcome::Done);
    }
    let open = Host::new().trace(&args.trace)?;
    mention_damage(&args.trace, open.reader(), open.damage());
    let (trace, reader) = (Trace::from(open.clone()), open.reader());
    let after = |place: CommandRef| anyhow::Ok(Moment(trace.state(place.number(reader)?)?));
    // The parser requires one here.
    let moment = after(args.at.unwrap_or(CommandRef::FromEnd(1)))?;
    let (document, outcome) = match args.diff {
        None => (moment.page(args, reader)?, Outcome::Done),
        Some(other) => {
            let other = after(other)?;
            let differences = moment.0.differences(&other.0, &args.path)?;
            let outcome = if differences.is_empty() { Outcome::No } else { Outcome::Done };
            (moment.difference_page(args, reader, &other, differences)?, outcome)
        }
    };
    crate::out::document(&document, args.json)?;
    Ok(outcome)
}

/// The command after which the state is asked for, and the state then.
pub struct Moment(pub StateTree);

impl Moment {
    /// The whole document for one moment.
    fn page(&self, args: &Args, reader: &Reader) -> anyhow::Result<String> {
        let part = self.0.part(&args.path, args.all)?;
        if args.json {
            let document = Document { at: self.document(), path: tree::spelled(&part.path), state: part.tree() };
            return Ok(json::pretty(&document)?);
        }
        let StatePart { path, mut node, all, hidden } = part;
        if !all {
            node = node.without_defaults();
        }
        let (names, labels) = (names(reader, &[&node]), self.labels());
        let style = text::Style { color: args.color.on_stdout(), names: &names, labels: &labels };
        Ok(text::page(self, &path, &node, &hidden, &style))
    }

    /// The labels of objects that the command can name, by what they are and their names.
    fn labels(&self) -> BTreeMap<(String, u32), String> {
        let mut labels = BTreeMap::new();
        for base in &self.0.bases {
            let Some(node) = base.iter().try_fold(&self.0.root, |node, name| node.child(name)) else { continue };
            for kind in &node.children {
                for object in &kind.children {
                    let label = object.child("label").and_then(|label| label.value.as_ref());
                    if let (Some(Value::Text(label)), Ok(name)) = (label, object.name.parse()) {
                        labels.insert((kind.name.clone(), name), label.clone());
                    }
                }
            }
        }
        labels
    }

    fn difference_page(
        &self,
        args: &Args,
        reader: &Reader,
        other: &Moment,
        mut differences: Vec<Difference>,
    ) -> anyhow::Result<String> {
        if args.json {
            return Ok(json::pretty(&self.diff_document(other, &differences, args.all))?);
        }
        if !args.all {
            for difference in &mut differences {
                for side in [&mut difference.before, &mut difference.after] {
                    *side = side.take().map(Node::without_defaults);
                }
            }
        }
        let sides = differences.iter().flat_map(|difference| [&difference.before, &difference.after]);
        let names = names(reader, &sides.flatten().collect::<Vec<_>>());
        let labels = BTreeMap::new();
        let style = text::Style { color: args.color.on_stdout(), names: &names, labels: &labels };
        Ok(text::differences(self, other, &differences, &style))
    }

    fn document(&self) -> json::state::Moment<'_> {
        let StateTree { command, frame, thread, context, text, .. } = &self.0;
        json::state::Moment { command: *command, frame: *frame, thread: *thread, context: *context, text }
    }

    fn diff_document<'a>(&'a self, other: &'a Moment, differences: &'a [Difference], all: bool) -> DiffDocument<'a> {
        let side = |node: &'a Option<Node>| node.as_ref().map(|node| Tree { node, all });
        let difference = |difference: &'a Difference| json::state::Difference {
            path: tree::spelled(&difference.path),
            kind: match (&difference.before, &difference.after) {
                (Some(_), Some(_)) => "changed",
                (Some(_), None) => "removed",
                _ => "added",
            },
            before: side(&difference.before),
            after: side(&difference.after),
        };
        DiffDocument {
            at: self.document(),
            diff: other.document(),
            differences: differences.iter().map(difference).collect(),
        }
    }
}

/// More calls than this are told by their numbers alone: to look their names up would take longer than to find the state.
const NAMED_CALLS: usize = 500;

/// What the calls are called that a tree mentions.
fn names(reader: &Reader, nodes: &[&Node]) -> BTreeMap<u64, String> {
    let mut names = BTreeMap::new();
    nodes.iter().for_each(|node| mentioned(node, &mut names));
    if names.len() > NAMED_CALLS {
        return BTreeMap::new();
    }
    for (number, name) in &mut names {
        // A call that is lost has no name.
        if let Ok(held) = reader.call_at(*number) {
            held.call().name().clone_into(name);
        }
    }
    names
}

fn mentioned(node: &Node, names: &mut BTreeMap<u64, String>) {
    if let Some(Value::Call(number)) = node.value {
        names.insert(number, String::new());
    }
    node.children.iter().for_each(|child| mentioned(child, names));
}
