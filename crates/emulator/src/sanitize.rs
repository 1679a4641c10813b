//! Finding what a shader does that the language leaves undefined, while it does it.
//!
//! A [`Sanitizer`] is an observer. What it finds are [`Finding`]s: one for each kind of mistake at each expression, with
//! the moment, lane and operands of the first time and a count of all. It knows the expression an instruction belongs to
//! and the operands of that expression, so a built-in function is one thing here however many instructions it is.

mod check;
mod describe;
mod domain;
mod memory;
mod shadow;
mod shared;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use lanes::Mask;
use moment::{Marker, Moment, SiteId, Tracker};
use shader::Shader;
use shader::ast::{BinaryOp, ExprId, ExprKind, NodeId};
use shader::typed::{Target, VarId};

use crate::ir::{BlockId, FunctionId, Instruction, Program};
use crate::value::Value;
use crate::wave::{Fault, Flow, Observer, Wave};
use shadow::Shadow;
use shared::Shared;

/// What sort of mistake.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A variable is read that was never written.
    Uninitialized,
    /// An index or address outside of what there is.
    OutOfBounds,
    /// Finite operands, and a result that is infinite or no number.
    NotFinite,
    /// A division, of integers or floats, by zero.
    DivisionByZero,
    /// Arguments for which a function has no defined result.
    Domain,
    /// A shift by a negative amount or by at least the width.
    Shift,
    /// Bits outside of the word.
    Bitfield,
    /// A derivative, or a look-up that needs one, that not all invocations of the quad take part in.
    DivergentDerivative,
    /// A barrier that not all invocations reach.
    DivergentBarrier,
    /// Arithmetic in an index does not fit its type.
    IndexOverflow,
    /// A number converted to a type that cannot hold it.
    Conversion,
    /// A function ends without `return`, and its result is used.
    MissingReturn,
    /// An output is written on some ways through `main`, but not on this one.
    UnwrittenOutput,
    /// Two invocations use a `shared` variable at the same time, and one of them writes it.
    Race,
    /// A texture, image or buffer where none is bound.
    Unbound,
}

impl Kind {
    /// A short stable name, for filters and tests.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Kind::Uninitialized => "uninitialized",
            Kind::OutOfBounds => "out-of-bounds",
            Kind::NotFinite => "not-finite",
            Kind::DivisionByZero => "division-by-zero",
            Kind::Domain => "domain",
            Kind::Shift => "shift",
            Kind::Bitfield => "bitfield",
            Kind::DivergentDerivative => "divergent-derivative",
            Kind::DivergentBarrier => "divergent-barrier",
            Kind::IndexOverflow => "index-overflow",
            Kind::Conversion => "conversion",
            Kind::MissingReturn => "missing-return",
            Kind::UnwrittenOutput => "unwritten-output",
            Kind::Race => "race",
            Kind::Unbound => "unbound",
        }
    }
}

/// What a finding is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// An expression.
    Site(SiteId),
    /// A variable as a whole.
    Variable(VarId),
    /// Nothing that is written anywhere.
    Nothing,
}

/// Something undefined that the shader did.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// What sort of mistake.
    pub kind: Kind,
    /// Where in the source.
    pub subject: Subject,
    /// When it happened first; `None` for what holds of the run as a whole.
    pub moment: Option<Moment>,
    /// The batch (see [`Sanitizer::restart`]) it happened in first.
    pub batch: u64,
    /// The wave and lane it happened in first.
    pub lane: (usize, usize),
    /// All lanes it happened in the first time, as bits.
    pub lanes: u64,
    /// It happened in a helper invocation.
    pub helper: bool,
    /// One sentence without a full stop, with the operands in it.
    pub message: String,
    /// The operands of the first time.
    pub operands: Vec<Value>,
    /// The result of the first time, where that is what is wrong.
    pub result: Option<Value>,
    /// How many times it happened, counted by lane.
    pub count: u64,
}

/// What is known of one wave.
#[derive(Clone, Debug)]
struct Watched {
    shadow: Shadow,
    trackers: Vec<Tracker>,
    cursor: Cursor,
    /// The expression of the instruction that runs.
    current: Option<ExprId>,
    /// An expression some lanes of which are reported already for what it is doing.
    blamed: (Option<ExprId>, u64),
    /// Lanes that used an index out of bounds in the statement that runs: what they read is no mistake of its own.
    outside: u64,
    /// The last index into memory: expression, and the index in each lane.
    scaled: Option<(ExprId, Vec<u32>)>,
}

impl Watched {
    /// Puts everything at the beginning.
    fn begin(&mut self, fresh: &Shadow) {
        self.shadow.clone_from(fresh);
        self.trackers.fill_with(Tracker::new);
        self.cursor = Cursor::default();
        self.current = None;
        self.blamed = (None, 0);
        self.outside = 0;
        self.scaled = None;
    }
}

/// How far the notes of a block have been read.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    block: Option<(FunctionId, BlockId)>,
    index: usize,
    note: usize,
}

/// Watches waves for what the language leaves undefined.
pub struct Sanitizer<'a> {
    shader: &'a Shader,
    program: &'a Program,
    fresh: Shadow,
    waves: Vec<Watched>,
    wave: usize,
    lanes_of_wave: usize,
    batch: u64,
    shared: Shared,
    /// By expression: it is part of an index.
    in_index: Vec<bool>,
    /// By expression: there are operands for which it is undefined.
    judgeable: Vec<bool>,
    /// Lanes whose mistakes count.
    watched: u64,
    helpers: bool,
    findings: Vec<Finding>,
    known: BTreeMap<(Kind, Subject), usize>,
}

impl<'a> Sanitizer<'a> {
    /// A sanitizer for waves of a program.
    #[must_use]
    pub fn new(shader: &'a Shader, program: &'a Program) -> Sanitizer<'a> {
        let fresh = Shadow::new(shader, program);
        let in_index = index_parts(shader);
        let mut made = Sanitizer {
            shader,
            program,
            fresh,
            waves: Vec::new(),
            wave: 0,
            lanes_of_wave: 0,
            batch: 0,
            shared: Shared::default(),
            judgeable: judgeable(shader, &in_index),
            in_index,
            watched: u64::MAX,
            helpers: false,
            findings: Vec::new(),
            known: BTreeMap::new(),
        };
        made.restart(0);
        made
    }

    /// Only mistakes of these lanes count.
    #[must_use]
    pub fn only(mut self, lanes: u64) -> Sanitizer<'a> {
        self.watched = lanes;
        self
    }

    /// Mistakes of helper invocations count too; they are marked as such.
    #[must_use]
    pub fn with_helpers(mut self) -> Sanitizer<'a> {
        self.helpers = true;
        self
    }

    /// Invocations begin anew: another quad, another workgroup. The number is for the caller, who finds it in
    /// [`Finding::batch`].
    pub fn restart(&mut self, batch: u64) {
        self.batch = batch;
        // What the first wave has allocated is used again: an image restarts for every quad of it.
        self.waves.truncate(1);
        if let Some(first) = self.waves.first_mut() {
            first.begin(&self.fresh);
        }
        self.shared = Shared::new(self.program.shared_bytes);
        self.select(0);
    }

    /// What is observed from now on is this wave of the group.
    pub fn select(&mut self, wave: usize) {
        self.wave = wave;
        while self.waves.len() <= wave {
            self.waves.push(Watched {
                shadow: self.fresh.clone(),
                trackers: vec![Tracker::new(); 64],
                cursor: Cursor::default(),
                current: None,
                blamed: (None, 0),
                outside: 0,
                scaled: None,
            });
        }
    }

    /// All waves of the group have met at a barrier.
    pub fn barrier(&mut self) {
        self.shared.barrier();
    }

    /// `main` has ended: looks at what became of the outputs.
    pub fn finish<const W: usize>(&mut self, wave: &Wave<'_, W>) {
        let lanes = wave.alive().bits() & !wave.helpers().bits() & self.watched;
        for (index, row) in self.shader.typed.variables.iter().enumerate() {
            let id = VarId(index as u32);
            let is_output = row.qualifiers.storage == shader::qualifier::Storage::Out
                && row.scope == shader::typed::ScopeId::GLOBAL
                && row.written
                && self.program.variable_types[index].scalar().is_some();
            let Some(home) = self.program.variable(id).filter(|_| is_output) else { continue };
            let missing = home.iter().fold(0, |all, register| all | self.waves[self.wave].shadow.of(register)) & lanes;
            if missing != 0 {
                let message = format!("output `{}` is not written by this invocation", self.name_of(id));
                self.report(Kind::UnwrittenOutput, Subject::Variable(id), missing, wave, message, |_| Vec::new());
            }
        }
    }

    /// What was found so far, in the order of the first times.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What was found.
    #[must_use]
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    fn name_of(&self, id: VarId) -> &'a str {
        self.shader.preprocessed.symbols.name(self.shader.typed.variable(id).name)
    }

    /// Notes a mistake of some lanes; `operands` gives those of a lane.
    fn report<const W: usize>(
        &mut self,
        kind: Kind,
        subject: Subject,
        lanes: u64,
        wave: &Wave<'_, W>,
        message: String,
        operands: impl FnOnce(usize) -> Vec<Value>,
    ) {
        let count = u64::from(lanes.count_ones());
        if let Some(&known) = self.known.get(&(kind, subject)) {
            self.findings[known].count += count;
            return;
        }
        let lane = lanes.trailing_zeros() as usize;
        let tracker = &self.waves[self.wave].trackers[lane];
        let moment = match subject {
            Subject::Site(site) => Some(tracker.at(site)),
            Subject::Variable(_) | Subject::Nothing => tracker.moment(),
        };
        self.known.insert((kind, subject), self.findings.len());
        self.findings.push(Finding {
            kind,
            subject,
            moment,
            batch: self.batch,
            lane: (self.wave, lane),
            lanes,
            helper: wave.helpers().bits() >> lane & 1 != 0,
            message,
            operands: operands(lane),
            result: None,
            count,
        });
    }

    /// Lanes of a mask whose mistakes count.
    fn judged<const W: usize>(&self, wave: &Wave<'_, W>, mask: &Mask<W>) -> u64 {
        let helpers = if self.helpers { 0 } else { wave.helpers().bits() };
        mask.bits() & !helpers & self.watched
    }
}

impl<const W: usize> Observer<W> for Sanitizer<'_> {
    const INSTRUCTIONS: bool = true;

    fn marker(&mut self, _: &Wave<'_, W>, marker: Marker, mask: &Mask<W>) -> Flow {
        self.lanes_of_wave = W;
        let watched = &mut self.waves[self.wave];
        shadow::each(mask.bits()).for_each(|lane| watched.trackers[lane].pass(marker));
        watched.scaled = None;
        if matches!(marker, Marker::Statement(_)) {
            watched.outside &= !mask.bits();
        }
        Flow::Continue
    }

    fn before(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        self.lanes_of_wave = W;
        let origin = origin.and_then(moment::glsl::expr);
        self.waves[self.wave].current = origin;
        if let Some(place) = wave.place() {
            self.read_notes(wave, (place.function, place.block), place.next, place.next, mask);
        }
        self.check_instruction(wave, instruction, origin, mask);
    }

    fn after(&mut self, wave: &Wave<'_, W>, instruction: &Instruction, _: Option<SiteId>, mask: &Mask<W>) {
        self.waves[self.wave].shadow.ran(wave, instruction, mask.bits());
        self.check_memory(wave, instruction, mask);
        if let Some(place) = wave.place() {
            self.read_notes(wave, (place.function, place.block), place.next, place.next + 1, mask);
        }
    }

    fn branch(&mut self, wave: &Wave<'_, W>, _: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        if let Some(place) = wave.place() {
            self.read_notes(wave, (place.function, place.block), place.next, place.next, &on.or(off));
        }
        self.waves[self.wave].cursor = Cursor::default();
    }

    fn fault(&mut self, wave: &Wave<'_, W>, lane: usize, fault: Fault) {
        self.check_fault(wave, lane, fault);
    }
}

/// Expressions that are undefined for some operands.
fn judgeable(shader: &Shader, in_index: &[bool]) -> Vec<bool> {
    let expr = |number: usize| {
        let id = ExprId(number as u32);
        in_index[number]
            || match shader.tree.expr(id).kind {
                ExprKind::Binary(op, ..) | ExprKind::Assign(Some(op), ..) => domain::has_limits(op),
                ExprKind::Call(..) => match shader.typed.expr(id).target {
                    Target::Builtin(function) => domain::names(shader.preprocessed.symbols.name(function.name)),
                    _ => false,
                },
                _ => false,
            }
    };
    (0..in_index.len()).map(expr).collect()
}

/// Expressions that are part of an index and may overflow.
fn index_parts(shader: &Shader) -> Vec<bool> {
    let mut parts = vec![false; shader.typed.exprs.len()];
    for number in 0..parts.len() {
        let ExprKind::Index(_, index) = shader.tree.expr(ExprId(number as u32)).kind else { continue };
        shader.walk(NodeId::Expr(index), |node| {
            let NodeId::Expr(id) = node else { return shader::query::Visit::Over };
            match shader.tree.expr(id).kind {
                ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => parts[id.0 as usize] = true,
                // What a function makes of its arguments is its own affair, and an inner index has its own.
                ExprKind::Call(..) | ExprKind::Index(..) => return shader::query::Visit::Over,
                _ => {}
            }
            shader::query::Visit::Into
        });
    }
    parts
}
