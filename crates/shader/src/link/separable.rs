//! Interfaces between separable programs of a pipeline (GL 4.6 and ES 3.2, 7.4.1).
//!
//! Within one program, outputs that nobody reads may be left out, and precisions differ. Between programs, OpenGL ES
//! demands that both sides declare the same variables with the same qualifiers, or the pipeline is not valid. OpenGL
//! leaves the values of such inputs undefined instead, so there the findings are warnings.

use super::blocks::BlockAt;
use super::compare::{Shape, Strictness};
use super::linker::Linker;
use super::{Declared, LinkDiagnostic, LinkOptions};
use crate::analyze::Shader;
use crate::diagnostic::Severity;
use crate::qualifier::{Interpolation, Qualifiers, Storage};
use crate::version::Stage;

/// Compares the interfaces between shaders of different stages, each in a separable program of its own.
#[must_use]
pub fn match_separable(shaders: &[&Shader]) -> Vec<LinkDiagnostic> {
    let options = LinkOptions { separable: true, ..LinkOptions::default() };
    let mut linker = Linker::new(shaders, &options);
    for index in 1..linker.stages.len() {
        if linker.stages[index].stage != Stage::Compute {
            linker.match_exactly(index - 1, index);
        }
    }
    let mut diagnostics = linker.out.diagnostics;
    if !linker.version.is_es() {
        diagnostics.iter_mut().for_each(|d| d.diagnostic.severity = Severity::Warning);
    }
    diagnostics
}

/// What an output and an input are matched by.
fn same_key(linker: &Linker<'_>, input: Declared, output: Declared) -> bool {
    let (x, y) = (linker.qualifiers(input), linker.qualifiers(output));
    let place = |q: &Qualifiers| (q.layout.location, q.layout.component.unwrap_or(0));
    match (x.layout.location, y.layout.location) {
        (None, None) => linker.variable_name(input) == linker.variable_name(output),
        (Some(_), Some(_)) => place(x) == place(y) && x.flags.patch == y.flags.patch,
        _ => false,
    }
}

impl Linker<'_> {
    fn match_exactly(&mut self, producer: usize, consumer: usize) {
        let mut outputs = self.interface(&self.stages[producer], Storage::Out);
        for input in self.interface(&self.stages[consumer], Storage::In) {
            match outputs.iter().position(|&output| same_key(self, input, output)) {
                Some(at) => {
                    let output = outputs.swap_remove(at);
                    self.compare_exactly(input, output);
                }
                None => self.lonely(input, consumer, producer, "input"),
            }
        }
        // Elsewhere an output that nobody reads does no harm.
        let strict = self.version.is_es();
        for output in outputs.into_iter().filter(|_| strict) {
            self.lonely(output, producer, consumer, "output");
        }
        let mut blocks = self.stage_blocks(producer, Storage::Out);
        for input in self.stage_blocks(consumer, Storage::In) {
            let location = |at: BlockAt| self.block(at).qualifiers.layout.location;
            let same = |&output: &BlockAt| match (location(input), location(output)) {
                (Some(a), Some(b)) => a == b,
                _ => self.block_name(input) == self.block_name(output),
            };
            match blocks.iter().position(same) {
                Some(at) => {
                    let output = blocks.remove(at);
                    let reason = self.block_difference(input, output, false);
                    if let Some(reason) = reason.or_else(|| self.precision_difference(input, output)) {
                        self.block_conflict(input, output, &reason);
                    }
                }
                None => self.lonely_block(input, consumer, producer, "input"),
            }
        }
        for output in blocks.into_iter().filter(|_| strict) {
            self.lonely_block(output, producer, consumer, "output");
        }
    }

    fn compare_exactly(&mut self, input: Declared, output: Declared) {
        let before = self.out.diagnostics.len();
        self.compare_varying(input, output);
        if self.out.diagnostics.len() > before || !self.version.is_es() {
            return;
        }
        let (x, y) = (self.qualifiers(input), self.qualifiers(output));
        let shape = |at: Declared| Shape { shader: at.shader, ty: self.per_vertex_element(at), implied: None };
        let strict = Strictness { names: true, precision: true };
        let smooth = |q: &Qualifiers| q.interpolation.unwrap_or(Interpolation::Smooth);
        let difference = if let Some(reason) = self.type_difference(shape(input), shape(output), strict) {
            Some(reason)
        } else if x.precision != y.precision {
            Some("the precisions differ".to_owned())
        } else if smooth(x) != smooth(y) {
            Some("the interpolations differ".to_owned())
        } else {
            None
        };
        if let Some(reason) = difference {
            let (here, there) = (self.stage_of(input.shader).name(), self.stage_of(output.shader).name());
            let name = self.variable_name(input);
            let message =
                format!("{here} shader input `{name}` does not match the {there} program's output exactly: {reason}");
            self.conflict(input, output, "separable-mismatch", message);
        }
    }

    /// A member whose precision differs, which matters between programs of OpenGL ES only.
    fn precision_difference(&self, input: BlockAt, output: BlockAt) -> Option<String> {
        if !self.version.is_es() {
            return None;
        }
        let strict = Strictness { names: true, precision: true };
        self.fields(input).iter().zip(self.fields(output)).find_map(|(f, g)| {
            let (a, b) = (
                Shape { shader: input.0, ty: f.ty, implied: None },
                Shape { shader: output.0, ty: g.ty, implied: None },
            );
            let name = self.name(input.0, f.name);
            let same = f.qualifiers.precision == g.qualifiers.precision;
            let inner = || self.type_difference(a, b, strict).filter(|reason| !reason.is_empty());
            if same { inner() } else { Some(format!("member `{name}` has another precision")) }
        })
    }

    fn lonely(&mut self, at: Declared, here: usize, there: usize, what: &str) {
        let name = self.variable_name(at);
        let message = self.lonely_message(&format!("{what} `{name}`"), here, there);
        self.error_variable(at, "separable-unmatched", message);
    }

    fn lonely_block(&mut self, at: BlockAt, here: usize, there: usize, what: &str) {
        let message = self.lonely_message(&format!("{what} block `{}`", self.block_name(at)), here, there);
        let error = self.error_at(at.0, self.block(at).declared, "separable-unmatched", message);
        self.report(at.0, error);
    }

    fn lonely_message(&self, what: &str, here: usize, there: usize) -> String {
        let (here, there) = (self.stages[here].stage.name(), self.stages[there].stage.name());
        format!("{here} shader {what} has no counterpart in the {there} program")
    }
}
