//! Checks of memory: addresses, shared variables, what is not bound.

use lanes::Mask;
use shader::ast::{ExprId, ExprKind};

use super::check::subject;
use super::shadow::{each, those};
use super::{FindingKind, Sanitizer, Subject};
use crate::glsl::types::ir_scalar;
use crate::ir::{Instruction, Register, Scalar, Space, TypeId, Variable};
use crate::sanitize::shared::Clash;
use crate::value::Value;
use crate::wave::{Fault, WaveState};

impl Sanitizer<'_> {
    /// Checks an index times the size of an element: the address must not wrap.
    pub(super) fn check_scaling<const W: usize>(
        &mut self,
        wave: &WaveState<W>,
        origin: Option<ExprId>,
        index: Register,
        stride: Register,
        mask: &Mask<W>,
    ) {
        let Some(id) = origin else { return };
        let ExprKind::Index(base, _) = self.shader.tree.expr(id).kind else { return };
        let (index, stride) = (wave.register(index), wave.register(stride));
        self.waves[self.wave].scaled = Some((id, index.to_vec()));
        let wraps = |lane: usize| u64::from(index[lane]) * u64::from(stride[lane]) > u64::from(u32::MAX);
        let lanes = those(self.judged(wave, mask), wraps);
        if lanes != 0 {
            let value = self.index_value(origin, index[lanes.trailing_zeros() as usize]);
            let shown = self.shown_index(&value);
            let message = format!("index out of bounds: `{}[{shown}]` lies beyond any buffer", self.source(base));
            self.report(FindingKind::OutOfBounds, Subject::Site(id.into()), lanes, wave, message, |_| vec![value]);
        }
    }

    /// Checks shared variables, after the instruction ran.
    pub(super) fn check_memory<const W: usize>(
        &mut self,
        wave: &WaveState<W>,
        instruction: &Instruction,
        mask: &Mask<W>,
    ) {
        let address = match instruction {
            Instruction::Read(_, _, address)
            | Instruction::Write(_, address, _)
            | Instruction::Atomic(_, _, address, _)
            | Instruction::WideAtomic(_, _, address, _) => address,
            _ => return,
        };
        if address.space != Space::Workgroup {
            return;
        }
        let origin = self.waves[self.wave].current;
        for lane in each(mask.bits()) {
            let Some(offset) = wave.resolve(address, lane).and_then(|at| at.offset) else { continue };
            let offset = offset as usize;
            let invocation = (self.wave * self.lanes_of_wave + lane) as u32;
            let clash = match *instruction {
                Instruction::Read(access, to, _) => {
                    let mut first = None;
                    for half in 0..access.width.registers() {
                        let (written, clash) = self.shared.read(offset + half as usize * 4, invocation);
                        if !written {
                            self.waves[self.wave].shadow.undefine(Register(to.0 + half), 1 << lane);
                        }
                        first = first.or(clash);
                    }
                    first
                }
                Instruction::Write(width, _, from) => {
                    let mut first = None;
                    for half in 0..width.registers() {
                        let word = wave.register(Register(from.0 + half))[lane];
                        first = first.or(self.shared.write(offset + half as usize * 4, invocation, word));
                    }
                    first
                }
                Instruction::WideAtomic(..) => {
                    self.shared.atomic(offset);
                    self.shared.atomic(offset + 4);
                    None
                }
                _ => {
                    self.shared.atomic(offset);
                    None
                }
            };
            if let Some(clash) = clash.filter(|_| self.watched >> lane & 1 != 0) {
                let name = self.shared_name(offset);
                let (mine, other, theirs) = match (instruction, clash) {
                    (Instruction::Read(..), Clash::Write(other)) => ("reads", other, "writes"),
                    (_, Clash::Write(other)) => ("writes", other, "writes"),
                    (_, Clash::Read(other)) => ("writes", other, "reads"),
                };
                let message = format!(
                    "invocation {invocation} {mine} `{name}`, which invocation {other} {theirs}, with no barrier between"
                );
                self.report(FindingKind::Race, subject(origin), 1 << lane, wave, message, |_| Vec::new());
            }
        }
    }

    /// Returns the name of the shared variable a byte belongs to.
    fn shared_name(&self, offset: usize) -> String {
        let at = |variable: &'_ Variable| {
            let pointer = variable.pointer().filter(|p| p.space == Space::Workgroup && p.offset as usize <= offset)?;
            Some(pointer.offset)
        };
        let variables = self.program.unit_variables(0).iter();
        match variables.filter_map(|variable| Some((at(variable)?, variable))).max_by_key(|(start, _)| *start) {
            Some((start, variable)) if offset > start as usize => {
                format!("{} + {} bytes", variable.name, offset - start as usize)
            }
            Some((_, variable)) => variable.name.clone(),
            None => "shared memory".to_owned(),
        }
    }

    pub(super) fn check_fault<const W: usize>(&mut self, wave: &WaveState<W>, lane: usize, fault: Fault) {
        let helpers = if self.helpers { 0 } else { wave.helpers().bits() };
        if self.watched & !helpers & 1 << lane == 0 {
            return;
        }
        let expr = self.waves[self.wave].current;
        let text = expr.map(|id| self.source(id)).unwrap_or_default();
        let scaled = self.waves[self.wave].scaled.clone();
        let (kind, subject, message, values) = match fault {
            Fault::Unbound => {
                (FindingKind::Unbound, subject(expr), format!("nothing is bound where `{text}` looks"), Vec::new())
            }
            Fault::Memory { bytes: 0, .. } => {
                (FindingKind::Unbound, subject(expr), format!("no buffer is bound where `{text}` looks"), Vec::new())
            }
            Fault::Memory { offset, bytes, .. } => {
                let place = match offset {
                    Some(offset) => format!("byte {offset} of a buffer of {bytes} bytes"),
                    None => format!("an address beyond a buffer of {bytes} bytes"),
                };
                match scaled {
                    Some((id, indices)) => {
                        let value = self.index_value(Some(id), indices[lane]);
                        let base = match self.shader.tree.expr(id).kind {
                            ExprKind::Index(base, _) => self.source(base),
                            _ => text,
                        };
                        let message = format!("index out of bounds: `{base}[{}]` is {place}", self.shown_index(&value));
                        (FindingKind::OutOfBounds, Subject::Site(id.into()), message, vec![value])
                    }
                    None => (FindingKind::OutOfBounds, subject(expr), format!("`{text}` is {place}"), Vec::new()),
                }
            }
            Fault::Pointer => {
                (FindingKind::OutOfBounds, subject(expr), format!("`{text}` uses a pointer to nothing"), Vec::new())
            }
            Fault::Texel { texel, size } => {
                let axes = size.iter().rposition(|&n| n > 0).map_or(1, |last| last + 1);
                let list = |numbers: &[i32]| numbers.iter().map(i32::to_string).collect::<Vec<_>>();
                let message = format!(
                    "texel ({}) is outside of {} texels: `{text}`",
                    list(&texel[..axes]).join(", "),
                    list(&size[..axes]).join(" x ")
                );
                (FindingKind::OutOfBounds, subject(expr), message, Vec::new())
            }
        };
        self.report(kind, subject, 1 << lane, wave, message, |_| values);
    }

    /// Returns the index of an element as a value of its type.
    pub(super) fn index_value(&self, origin: Option<ExprId>, bits: u32) -> Value {
        let index = origin.map(|id| self.shader.tree.expr(id).kind);
        let scalar = match index {
            Some(ExprKind::Index(_, index)) => self.shader.typed.expr(index).ty.scalar().map(ir_scalar),
            _ => None,
        };
        // Lowering puts all of the language's scalars into the table.
        let ty = self.program.types.find_scalar(scalar.unwrap_or(Scalar::I32)).unwrap_or(TypeId(0));
        Value { ty, scalars: vec![u64::from(bits)] }
    }
}
