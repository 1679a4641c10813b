//! `gl_PerVertex`: redeclarations, and whether all uses agree (GLSL 4.60, 7.5).

use super::blocks::BlockAt;
use super::linker::Linker;
use crate::qualifier::Storage;
use crate::typed::VariableKind;
use crate::version::Stage;

/// Members of the output block that can be used without an instance name.
const MEMBERS: [&str; 4] = ["gl_Position", "gl_PointSize", "gl_ClipDistance", "gl_CullDistance"];

impl Linker<'_> {
    /// The user's redeclaration of the block in a unit.
    fn redeclared(&self, unit: usize, storage: Storage) -> Option<BlockAt> {
        self.blocks_of(unit).find(|&b| self.block(b).builtin && self.block(b).qualifiers.storage == storage)
    }

    /// Whether a unit uses the built-in block without redeclaring it.
    fn uses_implicitly(&self, unit: usize, storage: Storage) -> bool {
        self.redeclared(unit, storage).is_none()
            && self.globals(unit).any(|at| {
                let row = self.variable(at);
                if row.qualifiers.storage != storage || !(row.read || row.written) {
                    return false;
                }
                match row.kind {
                    VariableKind::Instance(block) => self.typed(unit).block(block).builtin,
                    VariableKind::Builtin => MEMBERS.contains(&self.variable_name(at)),
                    _ => false,
                }
            })
    }

    pub(super) fn check_per_vertex(&mut self) {
        if self.is_es() {
            return;
        }
        for index in 0..self.stages.len() {
            let stage = self.stages[index].stage;
            for storage in [Storage::In, Storage::Out] {
                let interface = !matches!((stage, storage), (Stage::Fragment, _) | (Stage::Vertex, Storage::In));
                if interface && stage != Stage::Compute {
                    let units = self.stages[index].units.clone();
                    self.check_units(&units, storage);
                }
            }
            if let Some(next) = self.stages.get(index + 1).map(|s| s.stage)
                && next != Stage::Fragment
                && next != Stage::Compute
            {
                self.check_between(index, index + 1);
            }
        }
    }

    fn check_units(&mut self, units: &[usize], storage: Storage) {
        let Some(first) = units.iter().find_map(|&u| self.redeclared(u, storage)) else { return };
        for &unit in units {
            match self.redeclared(unit, storage) {
                Some(block) if block != first => {
                    if let Some(reason) = self.block_difference(block, first, true) {
                        self.block_conflict(block, first, &reason);
                    }
                }
                None if self.uses_implicitly(unit, storage) => self.not_redeclared(unit, first),
                _ => {}
            }
        }
    }

    fn not_redeclared(&mut self, unit: usize, other: BlockAt) {
        let note = self.place(other.0, self.block(other).declared);
        let message = "`gl_PerVertex` is used here without redeclaration, but redeclared in another shader";
        let error = self.error_at(unit, None, "per-vertex", message).note(note);
        self.report(unit, error);
    }

    fn check_between(&mut self, producer: usize, consumer: usize) {
        let (outs, ins) = (self.stages[producer].units.clone(), self.stages[consumer].units.clone());
        let output = outs.iter().find_map(|&u| self.redeclared(u, Storage::Out));
        let input = ins.iter().find_map(|&u| self.redeclared(u, Storage::In));
        match (output, input) {
            (Some(output), Some(input)) => {
                if let Some(reason) = self.block_difference(input, output, false) {
                    self.block_conflict(input, output, &reason);
                }
            }
            (Some(output), None) => {
                if let Some(&unit) = ins.iter().find(|&&u| self.uses_implicitly(u, Storage::In)) {
                    self.not_redeclared(unit, output);
                }
            }
            (None, Some(input)) => {
                if let Some(&unit) = outs.iter().find(|&&u| self.uses_implicitly(u, Storage::Out)) {
                    self.not_redeclared(unit, input);
                }
            }
            (None, None) if self.options.separable && self.version.number >= 150 => {
                let unit = outs.iter().copied().find(|&u| self.uses_implicitly(u, Storage::Out));
                if let Some(unit) = unit {
                    let message = "a separable program must redeclare `gl_PerVertex` to use its members";
                    let error = self.error_at(unit, None, "per-vertex", message);
                    self.report(unit, error);
                }
            }
            (None, None) => {}
        }
    }
}
