//! The checks, at notes and at instructions.

use lanes::{Mask, Op2};
use shader::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use shader::typed::Target;
use shader::version::Stage;

use super::shadow::{each, those};
use super::{Cursor, FindingKind, Sanitizer, Subject, domain};
use crate::ir::{BlockId, Detail, FunctionId, Instruction, NoteKind, Operand, Register, Scalar, Type, TypeId, Types};
use crate::value::{Value, number};
use crate::wave::WaveState;

impl Sanitizer<'_> {
    /// Processes the notes of a block up to an instruction that have not been processed.
    pub(super) fn read_notes<const W: usize>(
        &mut self,
        wave: &WaveState<W>,
        place: (FunctionId, BlockId),
        index: usize,
        limit: usize,
        mask: &Mask<W>,
    ) {
        let block = &self.program.functions[place.0.0 as usize].blocks[place.1.0 as usize];
        let mut cursor = self.waves[self.wave].cursor;
        if cursor.block != Some(place) || index < cursor.index {
            // A block is entered at its beginning, or continued where it was left.
            let left =
                |i: &Instruction| matches!(i, Instruction::Call(_) | Instruction::Discard | Instruction::Barrier);
            let from = block.instructions[..index].iter().rposition(left).map_or(0, |at| at + 1);
            cursor = Cursor { block: Some(place), index, note: block.notes.partition_point(|note| note.at < from) };
        }
        cursor.index = index;
        while let Some(note) = block.notes.get(cursor.note).filter(|note| note.at <= limit) {
            let before = &block.notes[..cursor.note];
            cursor.note += 1;
            let Some(expr) = moment::glsl::expr(note.site) else { continue };
            match &note.kind {
                NoteKind::Read(operand) => self.check_read(wave, expr, operand, mask),
                NoteKind::Begin(operands) if self.judgeable[expr.0 as usize] => {
                    self.check_operands(wave, expr, operands, mask);
                }
                NoteKind::Begin(_) => self.waves[self.wave].blamed = (None, 0),
                NoteKind::End(result) if self.finite(wave, result, mask) => {}
                NoteKind::End(result) => {
                    let begin = before.iter().rev().find_map(|other| match &other.kind {
                        NoteKind::Begin(operands) if other.site == note.site => Some(operands),
                        _ => None,
                    });
                    if let Some(operands) = begin {
                        self.check_result(wave, expr, operands, result, mask);
                    }
                }
                NoteKind::Returned(operand) => self.check_returned(wave, expr, operand, mask),
            }
        }
        self.waves[self.wave].cursor = cursor;
    }

    /// Returns whether all of a result is finite.
    fn finite<const W: usize>(&self, wave: &WaveState<W>, result: &Operand, mask: &Mask<W>) -> bool {
        // The exponent of a 64-bit float is in its second word.
        let (word, exponent) = match self.program.types.scalar(result.ty) {
            Some(Scalar::F32) => (0, 0x7f80_0000),
            Some(Scalar::F64) => (1, 0x7ff0_0000),
            _ => return true,
        };
        let on = mask.words();
        result.registers.iter().all(|register| {
            let words = wave.register(Register(register.0 + word));
            words.iter().zip(on).all(|(bits, on)| bits & on & exponent != exponent)
        })
    }

    fn undefined_lanes(&self, operand: &Operand, lanes: u64) -> u64 {
        let wide = self.program.types.scalar(operand.ty).is_some_and(Scalar::is_wide);
        let shadow = &self.waves[self.wave].shadow;
        let both =
            |register: Register| shadow.of(register) | if wide { shadow.of(Register(register.0 + 1)) } else { 0 };
        operand.registers.iter().fold(0, |all, &register| all | both(register)) & lanes
    }

    /// Marks a value as written once it is reported, so that what is computed from it is not reported again.
    fn excuse(&mut self, operand: &Operand, lanes: u64) {
        let wide = self.program.types.scalar(operand.ty).is_some_and(Scalar::is_wide);
        let shadow = &mut self.waves[self.wave].shadow;
        for &register in &operand.registers {
            shadow.define(register, lanes);
            if wide {
                shadow.define(Register(register.0 + 1), lanes);
            }
        }
    }

    fn check_read<const W: usize>(&mut self, wave: &WaveState<W>, expr: ExprId, operand: &Operand, mask: &Mask<W>) {
        // A structure or array may be copied with holes in it; reading the hole is the mistake.
        if self.program.types.scalar(operand.ty).is_none() {
            return;
        }
        let lanes = self.undefined_lanes(operand, mask.bits());
        let judged = lanes & self.judged(wave, mask) & !self.waves[self.wave].outside;
        if judged != 0 {
            let holes = self.holes(operand, judged.trailing_zeros());
            let text = self.source(expr);
            let message = if holes.len() == operand.registers.len() || operand.registers.len() == 1 {
                format!("`{text}` is read, but was never written")
            } else {
                format!("`{text}` is read, but {} never written", holes_text(&self.program.types, operand.ty, &holes))
            };
            self.report(FindingKind::Uninitialized, Subject::Site(expr.into()), judged, wave, message, |_| Vec::new());
        }
        if lanes != 0 {
            self.excuse(operand, lanes);
        }
    }

    /// Returns the components that are undefined in a lane.
    fn holes(&self, operand: &Operand, lane: u32) -> Vec<usize> {
        let shadow = &self.waves[self.wave].shadow;
        let registers = operand.registers.iter().enumerate();
        registers.filter(|(_, register)| shadow.of(**register) >> lane & 1 != 0).map(|(i, _)| i).collect()
    }

    fn check_returned<const W: usize>(&mut self, wave: &WaveState<W>, expr: ExprId, operand: &Operand, mask: &Mask<W>) {
        let lanes = self.undefined_lanes(operand, mask.bits());
        let judged = lanes & self.judged(wave, mask);
        // A returned structure may have members that were never written.
        let whole = operand.registers.iter().all(|&r| self.waves[self.wave].shadow.of(r) & judged == judged);
        if judged != 0 && whole {
            let name = match self.shader.typed.expr(expr).target {
                Target::Function(id) => {
                    self.shader.preprocessed.symbols.name(self.shader.typed.function(id).name).to_owned()
                }
                _ => self.source(expr),
            };
            let message = format!("`{name}` ended without returning a value");
            self.report(FindingKind::MissingReturn, Subject::Site(expr.into()), judged, wave, message, |_| Vec::new());
            self.excuse(operand, lanes);
        }
    }

    fn values<const W: usize>(&self, wave: &WaveState<W>, operands: &[Operand], lane: usize) -> Vec<Value> {
        operands.iter().map(|operand| Value::of_operand(wave, operand, lane)).collect()
    }

    fn check_operands<const W: usize>(
        &mut self,
        wave: &WaveState<W>,
        expr: ExprId,
        operands: &[Operand],
        mask: &Mask<W>,
    ) {
        let mut blamed = 0;
        for lane in each(self.judged(wave, mask)) {
            let values = self.values(wave, operands, lane);
            if let Some((kind, message)) = self.wrong(expr, &values) {
                let message = format!("{message}: {}", self.spelled(expr, &values));
                blamed |= 1 << lane;
                self.report(kind, Subject::Site(expr.into()), 1 << lane, wave, message, |_| values);
            }
        }
        self.waves[self.wave].blamed = (Some(expr), blamed);
    }

    /// Returns what is wrong with an expression's operands.
    fn wrong(&self, expr: ExprId, values: &[Value]) -> Option<(FindingKind, String)> {
        let types = &self.program.types;
        match (self.shader.tree.expr(expr).kind, values) {
            (ExprKind::Binary(op, ..) | ExprKind::Assign(Some(op), ..), [a, b]) => domain::operator(types, op, a, b)
                .or_else(|| {
                    let overflow = self.in_index[expr.0 as usize] && domain::overflows(types, op, a, b);
                    overflow.then(|| {
                        (FindingKind::IndexOverflow, "an index is computed that does not fit its type".to_owned())
                    })
                }),
            (ExprKind::Call(..), _) => domain::function(types, self.builtin_name(expr)?, values),
            _ => None,
        }
    }

    fn check_result<const W: usize>(
        &mut self,
        wave: &WaveState<W>,
        expr: ExprId,
        operands: &[Operand],
        result: &Operand,
        mask: &Mask<W>,
    ) {
        let (blamed_expr, blamed) = self.waves[self.wave].blamed;
        let blamed = if blamed_expr == Some(expr) { blamed } else { 0 };
        // Bits reinterpreted as a float may be anything.
        if self.builtin_name(expr).is_some_and(|name| name.contains("BitsTo") || name.starts_with("unpack")) {
            return;
        }
        for lane in each(self.judged(wave, mask) & !blamed) {
            let types = &self.program.types;
            let value = Value::of_operand(wave, result, lane);
            let Some(bad) = value.numbers(types).into_iter().find(|n| !n.is_finite()) else { continue };
            let values = self.values(wave, operands, lane);
            if values.iter().any(|v| v.numbers(types).iter().any(|n| !n.is_finite())) {
                continue;
            }
            let what = if bad.is_nan() { "a NaN is made" } else { "an infinity is made" };
            let message = format!("{what}: {} = {}", self.spelled(expr, &values), self.text(&value));
            let before = self.findings.len();
            self.report(FindingKind::NotFinite, Subject::Site(expr.into()), 1 << lane, wave, message, |_| values);
            if let Some(finding) = self.findings.get_mut(before) {
                finding.result = Some(value);
            }
        }
    }

    /// Runs the checks that need only the instruction.
    pub(super) fn check_instruction<const W: usize>(
        &mut self,
        wave: &WaveState<W>,
        instruction: &Instruction,
        origin: Option<ExprId>,
        mask: &Mask<W>,
    ) {
        match *instruction {
            Instruction::Bound(_, index, count) => {
                let at = wave.register(index);
                let lanes = those(self.judged(wave, mask), |lane| at[lane] >= count);
                if lanes != 0 {
                    self.waves[self.wave].outside |= lanes;
                    let value = self.index_value(origin, at[lanes.trailing_zeros() as usize]);
                    let message = match origin.map(|id| (id, self.shader.tree.expr(id).kind)) {
                        Some((_, ExprKind::Index(base, _))) => {
                            let shown = self.shown_index(&value);
                            format!("index out of bounds: `{}[{shown}]` of {count} elements", self.source(base))
                        }
                        _ => format!("index out of bounds: {} of {count} elements", self.shown_index(&value)),
                    };
                    self.report(FindingKind::OutOfBounds, subject(origin), lanes, wave, message, |_| vec![value]);
                }
            }
            Instruction::Binary(Op2::IMul, _, index, stride) => self.check_scaling(wave, origin, index, stride, mask),
            Instruction::Convert(from, into, _, register) => {
                self.check_conversion(wave, origin, (from, into), register, mask);
            }
            Instruction::Derivative(..) => self.check_divergence(wave, origin, "the derivative", mask),
            Instruction::Lookup(id) => {
                let implicit = matches!(self.program.lookups[id.0 as usize].detail, Detail::Implicit(_));
                if implicit && self.shader.stage == Stage::Fragment {
                    self.check_divergence(wave, origin, "the level of detail of a look-up", mask);
                }
            }
            Instruction::Barrier => {
                let missing = wave.alive().bits() & !mask.bits();
                let lanes = self.judged(wave, mask);
                if missing != 0 && lanes != 0 {
                    let message = format!(
                        "a barrier that {} of {} invocations of the wave do not reach",
                        missing.count_ones(),
                        wave.alive().bits().count_ones()
                    );
                    self.report(FindingKind::DivergentBarrier, subject(origin), lanes, wave, message, |_| Vec::new());
                }
            }
            _ => {}
        }
    }

    fn check_conversion<const W: usize>(
        &mut self,
        wave: &WaveState<W>,
        origin: Option<ExprId>,
        (from, into): (lanes::Scalar, lanes::Scalar),
        register: Register,
        mask: &Mask<W>,
    ) {
        use lanes::Scalar as S;
        let source = match from {
            S::F32 => Scalar::F32,
            S::F64 => Scalar::F64,
            _ => return,
        };
        let (low, high, name) = match into {
            S::I32 => (-2_147_483_649.0, 2_147_483_648.0, "int"),
            S::U32 => (-1.0, 4_294_967_296.0, "uint"),
            S::I64 => (-9_223_372_036_854_777_856.0, 9_223_372_036_854_775_808.0, "int64_t"),
            S::U64 => (-1.0, 18_446_744_073_709_551_616.0, "uint64_t"),
            S::F32 => (-f64::from(f32::MAX), f64::from(f32::MAX), "float"),
            _ => return,
        };
        let Some(ty) = self.program.types.find_scalar(source) else { return };
        let operand = Operand { ty, registers: vec![register] };
        for lane in each(self.judged(wave, mask)) {
            let value = Value::of_operand(wave, &operand, lane);
            let given = number(source, value.scalars[0]);
            // A double that is too large becomes an infinity; an infinity may stay one.
            let wrong =
                if into == S::F32 { given.is_finite() && given.abs() > high } else { !(given > low && given < high) };
            if wrong {
                let message = format!("{} does not fit `{name}`", self.text(&value));
                self.report(FindingKind::Conversion, subject(origin), 1 << lane, wave, message, |_| vec![value]);
            }
        }
    }

    /// Checks that all lanes of a quad that were not discarded take part.
    fn check_divergence<const W: usize>(
        &mut self,
        wave: &WaveState<W>,
        origin: Option<ExprId>,
        what: &str,
        mask: &Mask<W>,
    ) {
        let (here, alive) = (mask.bits(), wave.alive().bits());
        let quad = |lane: usize| 0b1111u64 << (lane & !3);
        let lanes = those(self.judged(wave, mask), |lane| here & quad(lane) != alive & quad(lane));
        if lanes != 0 {
            let absent = alive & !here & quad(lanes.trailing_zeros() as usize);
            let message = format!(
                "{what} is taken in divergent control flow: {} of the quad's 4 invocations took another way",
                absent.count_ones()
            );
            self.report(FindingKind::DivergentDerivative, subject(origin), lanes, wave, message, |_| Vec::new());
        }
    }

    fn builtin_name(&self, expr: ExprId) -> Option<&str> {
        match self.shader.typed.expr(expr).target {
            Target::Builtin(function) => Some(self.shader.preprocessed.symbols.name(function.name)),
            _ => None,
        }
    }

    /// Returns the source of an expression, on one line.
    pub(super) fn source(&self, expr: ExprId) -> String {
        let span = self.shader.written(shader::ast::NodeId::Expr(expr));
        let text: Vec<&str> = self.shader.sources.slice(span).split_whitespace().collect();
        text.join(" ")
    }

    fn text(&self, value: &Value) -> String {
        value.text(&self.program.types)
    }

    /// Returns an index as text: without the suffix of unsigned ones.
    pub(super) fn shown_index(&self, value: &Value) -> String {
        self.text(value).trim_end_matches('u').to_owned()
    }

    /// Returns an operator or call as text, with values instead of its operands.
    fn spelled(&self, expr: ExprId, values: &[Value]) -> String {
        let texts: Vec<String> = values.iter().map(|value| self.text(value)).collect();
        match (self.shader.tree.expr(expr).kind, &texts[..]) {
            (ExprKind::Binary(op, ..) | ExprKind::Assign(Some(op), ..), [a, b]) => format!("{a} {} {b}", op.spelling()),
            (ExprKind::Unary(op, _), [a, b]) => {
                let adds = matches!(op, UnaryOp::PreIncrement | UnaryOp::PostIncrement);
                let op = if adds { BinaryOp::Add } else { BinaryOp::Sub };
                format!("{a} {} {b}", op.spelling())
            }
            (ExprKind::Call(..), texts) => match self.builtin_name(expr) {
                Some(name) => format!("{name}({})", texts.join(", ")),
                None => texts.join(", "),
            },
            (_, texts) => texts.join(", "),
        }
    }
}

/// Returns the subject of a finding about an instruction's expression.
pub(super) fn subject(origin: Option<ExprId>) -> Subject {
    origin.map_or(Subject::Nothing, |expr| Subject::Site(expr.into()))
}

/// Returns "component y was" or "components y and z were".
fn holes_text(types: &Types, ty: TypeId, holes: &[usize]) -> String {
    let name = |&i: &usize| match types.get(ty) {
        Type::Vector { .. } => ["x", "y", "z", "w"].get(i).map_or_else(|| i.to_string(), |s| (*s).to_owned()),
        Type::Matrix { column, .. } => {
            let rows = types.elements(*column).map_or(1, |(_, rows)| rows as usize);
            format!("[{}][{}]", i / rows, i % rows)
        }
        _ => i.to_string(),
    };
    let names: Vec<String> = holes.iter().map(name).collect();
    match &names[..] {
        [one] => format!("component {one} was"),
        [rest @ .., last] => format!("components {} and {last} were", rest.join(", ")),
        [] => "a component was".to_owned(),
    }
}
