//! Finding what a GLSL shader does that the language leaves undefined, while it runs.
//!
//! A [`Sanitizer`] is an observer. It reports one [`Finding`] for each kind of mistake at each expression, with the moment,
//! lane and operands of the first time and a count of all. It knows the expression an instruction belongs to and the
//! operands of that expression, so a built-in function is one thing here, however many instructions it takes.

mod check;
mod describe;
mod domain;
mod memory;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use lanes::Mask;
use moment::{Marker, SiteId, Tracker};
use shader::Shader;
use shader::ast::{BinaryOp, ExprId, ExprKind, NodeId};
use shader::qualifier::Storage;
use shader::typed::{ScopeId, Target, Variable, VariableKind};

use crate::ir::{BlockId, FunctionId, Instruction, Program, VarId};
use crate::sanitize::shadow::{self, Shadow};
use crate::sanitize::shared::Shared;
use crate::sanitize::{Finding, FindingKind, Subject};
use crate::value::Value;
use crate::wave::{Fault, Flow, Interest, Observer, WaveState};
pub use describe::diagnostic;

/// What is tracked for one wave.
#[derive(Clone, Debug)]
struct Watched {
    shadow: Shadow,
    trackers: Vec<Tracker>,
    cursor: Cursor,
    /// The expression of the current instruction.
    current: Option<ExprId>,
    /// An expression whose operands are already reported, and for which lanes.
    blamed: (Option<ExprId>, u64),
    /// Lanes that used an index out of bounds in the current statement: what they read is not reported again.
    outside: u64,
    /// The last index into memory: the expression, and the index in each lane.
    scaled: Option<(ExprId, Vec<u32>)>,
}

impl Watched {
    /// Resets everything to the beginning of the run.
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

/// How far the notes of a block have been processed.
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
    /// By expression: whether it is part of an index.
    in_index: Vec<bool>,
    /// By expression: whether it is undefined for some operands.
    judgeable: Vec<bool>,
    /// Lanes whose mistakes are reported.
    watched: u64,
    helpers: bool,
    findings: Vec<Finding>,
    known: BTreeMap<(FindingKind, Subject), usize>,
}

impl<'a> Sanitizer<'a> {
    /// Returns a sanitizer for waves of the program that the shader was lowered to.
    #[must_use]
    pub fn new(shader: &'a Shader, program: &'a Program) -> Sanitizer<'a> {
        let rows = shader.typed.variables.iter().zip(program.unit_variables(0));
        let empty = rows.filter(|(row, _)| begins_undefined(row)).filter_map(|(_, variable)| variable.registers());
        let fresh = Shadow::new(program, empty);
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

    /// Reports only mistakes of these lanes.
    #[must_use]
    pub fn only(mut self, lanes: u64) -> Sanitizer<'a> {
        self.watched = lanes;
        self
    }

    /// Also reports mistakes of helper invocations, which are marked as such.
    #[must_use]
    pub fn with_helpers(mut self) -> Sanitizer<'a> {
        self.helpers = true;
        self
    }

    /// Starts with new invocations: another quad, another workgroup. The caller finds the number in [`Finding::batch`].
    pub fn restart(&mut self, batch: u64) {
        self.batch = batch;
        // The first wave's allocations are reused: an image restarts for each of its quads.
        self.waves.truncate(1);
        if let Some(first) = self.waves.first_mut() {
            first.begin(&self.fresh);
        }
        self.shared = Shared::new(self.program.workgroup_bytes);
        self.select(0);
    }

    /// Observes this wave of the group from now on.
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

    /// Records that all waves of the group have reached a barrier.
    pub fn barrier(&mut self) {
        self.shared.barrier();
    }

    /// Checks the outputs after `main` has ended.
    pub fn finish<const W: usize>(&mut self, wave: &WaveState<W>) {
        let lanes = wave.alive().bits() & !wave.helpers().bits() & self.watched;
        let program = self.program;
        for ((index, row), variable) in (0..).zip(&self.shader.typed.variables).zip(program.unit_variables(0)) {
            let id = VarId(index);
            let is_output = row.qualifiers.storage == Storage::Out
                && row.scope == ScopeId::GLOBAL
                && row.written
                && program.types.scalar(variable.ty).is_some();
            let Some(home) = variable.registers().filter(|_| is_output) else { continue };
            let missing = home.iter().fold(0, |all, register| all | self.waves[self.wave].shadow.of(register)) & lanes;
            if missing != 0 {
                let message = format!("output `{}` is not written by this invocation", variable.name);
                self.report(FindingKind::UnwrittenOutput, Subject::Variable(id), missing, wave, message, |_| {
                    Vec::new()
                });
            }
        }
    }

    /// Returns the findings so far, in the order in which they first happened.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the findings.
    #[must_use]
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// Reports a mistake of some lanes; `operands` returns those of a lane.
    fn report<const W: usize>(
        &mut self,
        kind: FindingKind,
        subject: Subject,
        lanes: u64,
        wave: &WaveState<W>,
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

    /// Returns the lanes of a mask whose mistakes are reported.
    fn judged<const W: usize>(&self, wave: &WaveState<W>, mask: &Mask<W>) -> u64 {
        let helpers = if self.helpers { 0 } else { wave.helpers().bits() };
        mask.bits() & !helpers & self.watched
    }
}

/// The sanitizer for the widths in use, compiled here for the crates above: see the interpreter's.
#[used]
static WIDTHS: (AsObserver<4>, AsObserver<16>) = (|sanitizer| sanitizer, |sanitizer| sanitizer);

type AsObserver<const W: usize> = for<'a> fn(&'a mut Sanitizer<'static>) -> &'a mut dyn Observer<W>;

impl<const W: usize> Observer<W> for Sanitizer<'_> {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn marker(&mut self, _: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        self.lanes_of_wave = W;
        let watched = &mut self.waves[self.wave];
        shadow::each(mask.bits()).for_each(|lane| watched.trackers[lane].pass(marker));
        watched.scaled = None;
        if matches!(marker, Marker::Statement(_)) {
            watched.outside &= !mask.bits();
        }
        Flow::Continue
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, origin: Option<SiteId>, mask: &Mask<W>) {
        self.lanes_of_wave = W;
        let origin = origin.and_then(moment::glsl::expr);
        self.waves[self.wave].current = origin;
        if let Some(at) = wave.program_counter() {
            self.read_notes(wave, (at.function, at.block), at.next, at.next, mask);
        }
        self.check_instruction(wave, instruction, origin, mask);
    }

    fn after(&mut self, wave: &WaveState<W>, instruction: &Instruction, _: Option<SiteId>, mask: &Mask<W>) {
        self.waves[self.wave].shadow.ran(wave, instruction, mask.bits());
        self.check_memory(wave, instruction, mask);
        if let Some(at) = wave.program_counter() {
            self.read_notes(wave, (at.function, at.block), at.next, at.next + 1, mask);
        }
    }

    fn branch(&mut self, wave: &WaveState<W>, _: Option<SiteId>, on: &Mask<W>, off: &Mask<W>) {
        if let Some(at) = wave.program_counter() {
            self.read_notes(wave, (at.function, at.block), at.next, at.next, &on.or(off));
        }
        self.waves[self.wave].cursor = Cursor::default();
    }

    fn fault(&mut self, wave: &WaveState<W>, lane: usize, fault: Fault) {
        self.check_fault(wave, lane, fault);
    }
}

/// Returns whether a variable holds no value before `main`: a global without an initializer, or an output.
fn begins_undefined(row: &Variable) -> bool {
    let global = matches!(row.kind, VariableKind::Global) && row.qualifiers.storage == Storage::Plain;
    let empty = global && row.init.is_none() && row.constant.is_none();
    empty || row.qualifiers.storage == Storage::Out && !matches!(row.kind, VariableKind::Parameter(..))
}

/// Returns for each expression whether it is undefined for some operands.
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

/// Returns for each expression whether it is part of an index and may overflow.
fn index_parts(shader: &Shader) -> Vec<bool> {
    let mut parts = vec![false; shader.typed.exprs.len()];
    for number in 0..parts.len() {
        let ExprKind::Index(_, index) = shader.tree.expr(ExprId(number as u32)).kind else { continue };
        shader.walk(NodeId::Expr(index), |node| {
            let NodeId::Expr(id) = node else { return shader::query::Visit::Over };
            match shader.tree.expr(id).kind {
                ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => parts[id.0 as usize] = true,
                // Arguments of a function are not part of the index, and an inner index is checked by itself.
                ExprKind::Call(..) | ExprKind::Index(..) => return shader::query::Visit::Over,
                _ => {}
            }
            shader::query::Visit::Into
        });
    }
    parts
}
