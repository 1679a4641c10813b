//! The code around probes: selects the invocations that answer, collects their words and exports them.
//!
//! A weaver asks a [`Frame`] for the names of the functions it may call, inserts calls into the shader's source with a
//! [`Rewrite`], and passes that to [`Frame::finish`]. The frame offers, by [`Frame::name`]:
//!
//! - `live`, a `bool`: this invocation is selected, probes are on, and it has not been discarded;
//! - `void note(int site)`: appends a record without a value;
//! - for each type, [`Frame::record_value`]: a statement that appends a record with a value;
//! - `void reach()`: the moment or site of the question was reached.
//!
//! All of these do nothing while `live` is false.
//!
//! Code is written as templates: `$` stands for the prefix that makes names unique in the shader, and a backquote for
//! `highp` where the language has precision qualifiers.

mod common;
mod discard;
mod feedback;
mod identity;
mod language;
mod memory;
mod parameters;
mod position;
mod put;
mod slots;
mod storage;
mod targets;
mod window;
mod word;

use std::collections::BTreeSet;

use shader::ast::{DeclId, NodeId, StmtKind};
use shader::edit::{LineRules, Rewrite};
use shader::token::TokenSpan;
use shader::types::Type;
use shader::version::{Stage, Vendor};

use crate::device::{Device, Transport};
use crate::question::{Scope, Subject};
use crate::variant::{Controls, Refusal};

pub use identity::{Naming, names_primitive};
use language::Language;
use position::Positions;
pub use slots::SlotRange;
use word::Words;

/// The code around the probes of one variant.
pub struct Frame<'a> {
    subject: Subject<'a>,
    scope: Scope,
    /// Invocations without anything to report take no space: a region of the storage block is allocated by
    /// [`Frame::take`].
    late: bool,
    device: &'a Device,
    transport: Transport,
    language: Language,
    prefix: String,
    positions: Positions,
    words: Words,
    /// Whether there are functions that return the bits of a float.
    bit_casts: bool,
    /// Whether vertices get their number from an attribute.
    vertex_attribute: bool,
    /// Whether the frame's own changes of nodes have been made.
    prepared: bool,
    /// Extensions to enable.
    extensions: BTreeSet<String>,
    /// Functions that append values: their type and name.
    puts: Vec<(Type, String)>,
    /// Code and the declaration after which it is inserted; before everything if `None`.
    added: Vec<(Option<DeclId>, String)>,
    /// The slots of the records, if they have some.
    slots: Option<SlotRange>,
}

/// A shader with its frame.
pub struct Framed {
    /// The source for `glShaderSource`.
    pub strings: Vec<String>,
    /// The source of the fragment shader that must run with it, if any.
    pub fragment: Option<Vec<String>>,
    /// What the caller needs to know to run it.
    pub controls: Controls,
}

impl<'a> Frame<'a> {
    /// Creates a frame for a shader on a device. If `late`, and the transport has space for all answers at once, only
    /// invocations that reach [`Frame::take`] answer.
    ///
    /// # Errors
    /// When the transport, the language version or the shader does not allow it.
    pub fn new(
        subject: Subject<'a>,
        (scope, late): (Scope, bool),
        device: &'a Device,
        transport: Transport,
    ) -> Result<Frame<'a>, Refusal> {
        Frame::with_slots(subject, (scope, late), device, transport, None)
    }

    /// Creates a frame whose records have slots, or follow each other in the stream if there is no range.
    ///
    /// # Errors
    /// As for [`Frame::new`].
    pub fn with_slots(
        subject: Subject<'a>,
        (scope, late): (Scope, bool),
        device: &'a Device,
        transport: Transport,
        slots: Option<SlotRange>,
    ) -> Result<Frame<'a>, Refusal> {
        let prefix = position::prefix(subject.shader);
        let positions = Positions::find(subject.shader)?;
        let language = Language::new(subject.shader);
        let mut frame = Frame {
            subject,
            scope,
            late: late && transport == Transport::Storage && scope != Scope::Blocks,
            device,
            transport,
            language,
            prefix,
            positions,
            words: Words::Int,
            bit_casts: false,
            vertex_attribute: false,
            prepared: false,
            extensions: BTreeSet::new(),
            puts: Vec::new(),
            added: Vec::new(),
            slots,
        };
        match transport {
            Transport::Storage => frame.open_storage()?,
            Transport::IntegerTargets(_) | Transport::FloatTargets(_) | Transport::Bytes => frame.open_targets()?,
            Transport::Feedback(_) => frame.open_feedback()?,
            Transport::PointGrid => frame.open_grid()?,
            Transport::Memory(_) => frame.open_memory(),
        }
        Ok(frame)
    }

    /// A name in the frame's or the weaver's code, distinct from all names of the shader.
    #[must_use]
    pub fn name(&self, base: &str) -> String {
        format!("{}{base}", self.prefix)
    }

    /// Instantiates a template: `$` is the prefix of [`Frame::name`], a backquote `highp` where there are precision
    /// qualifiers.
    #[must_use]
    pub fn text(&self, template: &str) -> String {
        template.replace('`', self.language.highp).replace('$', &self.prefix)
    }

    /// A statement that must come before the first record, if only invocations with something to report answer.
    #[must_use]
    pub fn take(&self) -> Option<String> {
        self.late.then(|| self.text("$take($whose);"))
    }

    /// Adds functions or globals of the weaver, after those of the frame and before the shader's.
    pub fn declare(&mut self, text: &str) {
        self.added.push((None, text.to_owned()));
    }

    /// Adds functions or globals that name a type: after the declaration of its structure.
    ///
    /// # Errors
    /// When the structure has no name, or is local to a function.
    pub fn declare_for(&mut self, ty: Type, text: &str) -> Result<(), Refusal> {
        let place = self.positions.of_type(self.subject.shader, ty)?;
        self.added.push((place, text.to_owned()));
        Ok(())
    }

    /// Changes nodes of the shader as the frame requires: inside of what is wrapped around the same nodes later. A
    /// weaver that inserts code before `discard` calls this first; otherwise [`Frame::finish`] does.
    pub fn prepare(&mut self, rewrite: &mut Rewrite<'_>) {
        if std::mem::replace(&mut self.prepared, true) {
            return;
        }
        match self.transport {
            Transport::IntegerTargets(_) | Transport::FloatTargets(_) | Transport::Bytes => {
                self.prepare_targets(rewrite);
            }
            Transport::Feedback(_) => self.prepare_feedback(rewrite),
            Transport::Storage | Transport::Memory(_) => self.prepare_discard(rewrite),
            Transport::PointGrid => {}
        }
        if self.is_in_main() {
            self.enter_main(rewrite);
        }
    }

    /// Whether the frame's code is inside of `main`, the only place where a tessellation control shader may call
    /// `barrier`.
    fn is_in_main(&self) -> bool {
        self.language.stage == Stage::TessControl && self.mentions("barrier")
    }

    /// Combines the weaver's changes with the frame's.
    ///
    /// # Errors
    /// When changes conflict.
    pub fn finish(mut self, mut rewrite: Rewrite<'_>) -> Result<Framed, Refusal> {
        let shader = self.subject.shader;
        self.prepare(&mut rewrite);
        let main = if self.is_in_main() { None } else { Some(self.main()) };
        let mut prelude = String::new();
        if self.device.style.inlined {
            prelude.push_str("#pragma optionNV(inline all)\n");
        }
        for (place, text) in &self.added {
            match place {
                None => prelude.push_str(text),
                Some(decl) => rewrite.after(NodeId::Decl(*decl), &format!("\n{}", text.trim_end())),
            }
        }
        let mut edits = rewrite.edits().map_err(|e| Refusal::Impossible(self.rewrite_error(e)))?;
        if let Some(main) = main {
            self.positions.rename_main(&self.name("main"), &mut edits, &mut prelude);
            edits.insert_after(self.positions.end, &self.text(&main));
        }
        position::check_macros(shader, &prelude)?;
        if !self.extensions.is_empty() {
            let lines: String = self.extensions.iter().map(|name| format!("#extension {name} : enable\n")).collect();
            match shader.preprocessed.version_span {
                Some(span) => edits.insert_after(span.end, &format!("\n{}", lines.trim_end())),
                None => edits.insert(shader::source::Pos(0), &lines),
            }
        }
        // After the extensions, if both are at the very beginning.
        edits.insert(self.positions.start, &prelude);
        let per_string = self.subject.options.vendor != Vendor::Mesa;
        let rules = LineRules { version: self.language.version, per_string };
        let edited = edits.apply_keeping_lines(&shader.sources, rules);
        let mut edited = edited.map_err(|e| Refusal::Impossible(format!("conflicting changes: {e:?}")))?;
        edited.strings.truncate(shader.sources.own_strings());
        if self.device.style.parameters {
            let names = (self.prefix.as_str(), &*self.output_names());
            edited.strings = parameters::lower(&edited.strings, self.subject.options, names, per_string)?;
        }
        let fragment = (self.transport == Transport::PointGrid).then(|| self.grid_fragment());
        Ok(Framed { strings: edited.strings, fragment, controls: self.controls() })
    }

    /// Asks the compiler of a GPU not to unroll loops with all their records. The pragma is NVIDIA's, whose compiler does so
    /// whatever their conditions are; others ignore it.
    pub fn keep_loops(&mut self) {
        if self.device.style.small_parts {
            self.declare("#pragma optionNV(unroll none)\n");
        }
    }

    /// Which invocations answer, and the transport.
    #[must_use]
    pub fn way(&self) -> (Scope, Transport) {
        (self.scope, self.transport)
    }

    /// The new `main`, as a template.
    fn main(&mut self) -> String {
        let who = self.identity();
        let last = if self.transport == Transport::PointGrid { self.grid_place() } else { String::new() };
        format!("\nvoid main()\n{{\n    $begin({who});\n    $main();\n    $end();\n{last}}}\n")
    }

    /// Puts begin and end into the shader's own `main`: for tessellation control shaders with barriers, which are
    /// allowed in no other function (GLSL 4.60, 8.16). There is no `return` before a barrier.
    fn enter_main(&mut self, rewrite: &mut Rewrite<'_>) {
        let shader = self.subject.shader;
        let who = self.identity();
        let (begin, end) = (self.text(&format!(" $begin({who});")), self.text("$end();"));
        let Some(main) = self.positions.main_body(shader) else { return };
        let (node, tokens) = (NodeId::Stmt(main), shader.tree.stmt(main).tokens);
        let brace = |at| TokenSpan { first: at, last: at };
        rewrite.wrap_tokens(node, brace(tokens.first), "", &begin);
        rewrite.wrap_tokens(node, brace(tokens.last), &format!("{end} "), "");
        for id in shader.statements() {
            let inside = shader.enclosing_function(NodeId::Stmt(id)) == shader.enclosing_function(NodeId::Stmt(main));
            if inside && matches!(shader.tree.stmt(id).kind, StmtKind::Return(_)) {
                rewrite.wrap(NodeId::Stmt(id), &format!("{{ {end} "), " }");
            }
        }
    }

    fn controls(&self) -> Controls {
        Controls {
            on: self.name("on"),
            pick: self.name("pick"),
            base: self.name("base"),
            block: self.name("block"),
            binding: self.binding(),
            late: self.late,
            upper_left: self.subject.shader.typed.stage.origin_upper_left,
            vertex: self.vertex_attribute.then(|| self.name("vertex")),
            grid: self.name("grid"),
            regions: self.name("regions"),
            outputs: match self.transport {
                Transport::IntegerTargets(_) | Transport::FloatTargets(_) | Transport::Bytes => self.target_names(),
                Transport::Feedback(_) => self.captured_names(),
                Transport::PointGrid if self.language.integers => vec![self.name("target0")],
                Transport::Memory(_) => self.memory_names(),
                Transport::Storage | Transport::PointGrid => Vec::new(),
            },
        }
    }

    /// Adds code from a template before everything.
    fn add(&mut self, template: &str) {
        let text = self.text(template);
        self.added.push((None, text));
    }

    fn rewrite_error(&self, error: shader::edit::RewriteError) -> String {
        use shader::edit::RewriteError;
        let shader = self.subject.shader;
        match error {
            RewriteError::Overlap { other, .. } => {
                let text = shader.sources.slice(shader.written(other));
                format!("two changes overlap at `{text}`")
            }
            RewriteError::Directive(span) => {
                let text = shader.sources.slice(span);
                format!("the macro call `{text}` contains a directive and cannot be expanded")
            }
            RewriteError::Empty(_) => "a change has no source position".to_owned(),
        }
    }
}
