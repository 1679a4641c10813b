//! Compares the qualifiers of an input and the matching output.

use super::Declared;
use super::compare::{Shape, Strictness};
use super::linker::{Linker, is_per_vertex};
use crate::preprocess::PragmaKind;
use crate::qualifier::{Interpolation, Storage};
use crate::version::Stage;

impl Linker<'_> {
    pub(super) fn compare_varying(&mut self, input: Declared, output: Declared) {
        let name = self.variable_name(input);
        let shape = |at: Declared| {
            let per_vertex = is_per_vertex(self.stage_of(at.shader), self.qualifiers(at));
            let implied = if per_vertex { None } else { self.stage_size(at) };
            Shape { shader: at.shader, ty: self.per_vertex_element(at), implied }
        };
        let (a, b) = (shape(input), shape(output));
        let (here, there) = (self.stage_of(input.shader).name(), self.stage_of(output.shader).name());
        if self.qualifiers(input).flags.patch != self.qualifiers(output).flags.patch {
            let (with, without) = if self.qualifiers(input).flags.patch { (here, there) } else { (there, here) };
            let message = format!("`{name}` is `patch` in the {with} shader and not in the {without} shader");
            self.conflict(input, output, "qualifier-mismatch", message);
            return;
        }
        if let Some(reason) = self.type_difference(a, b, Strictness::default()) {
            let (s, t) = (self.type_name(a.shader, a.ty, a.implied), self.type_name(b.shader, b.ty, b.implied));
            let message = if reason.is_empty() {
                format!("{here} shader input `{name}` is `{s}`, the {there} shader's output is `{t}`")
            } else {
                format!("{here} shader input `{name}` does not match the {there} shader's output: {reason}")
            };
            self.conflict(input, output, "type-mismatch", message);
            return;
        }
        self.compare_qualifiers(input, output);
        let stream = self.qualifiers(output).layout.stream.unwrap_or(0);
        if stream != 0 && self.stage_of(output.shader) == Stage::Geometry {
            let message = format!("`{name}` is of stream {stream}; only stream 0 reaches the {here} shader");
            self.conflict(input, output, "stream", message);
        }
    }

    /// The number of elements of the outermost dimension, in all units of the stage.
    fn stage_size(&self, at: Declared) -> Option<u32> {
        let name = self.variable_name(at);
        let stage = self.stage_of(at.shader);
        let mut size = None;
        for at in self.named(self.stage_index(stage), name, self.qualifiers(at).storage) {
            let shape = self.shape(at);
            match self.types(at.shader).as_array(shape.ty).and_then(|a| a.size) {
                Some(fixed) => return Some(fixed),
                None => size = size.max(shape.implied),
            }
        }
        size
    }

    pub(super) fn compare_qualifiers(&mut self, input: Declared, output: Declared) {
        let (x, y) = (self.qualifiers(input), self.qualifiers(output));
        let name = self.variable_name(input);
        let (here, there) = (self.stage_of(input.shader).name(), self.stage_of(output.shader).name());
        // Auxiliary storage may differ from GLSL 4.30 on; Mesa has never checked `centroid`.
        if x.flags.sample != y.flags.sample && self.before(440, 1000) {
            let (with, without) = if x.flags.sample { (here, there) } else { (there, here) };
            let message = format!("`{name}` is `sample` in the {with} shader and not in the {without} shader");
            self.conflict(input, output, "qualifier-mismatch", message);
        }
        // Since GLSL 4.20 and GLSL ES 3.00 only the output's invariance matters.
        let pragma = |at: Declared| {
            self.shaders[at.shader].preprocessed.pragmas.iter().any(|p| p.kind == PragmaKind::InvariantAll)
        };
        let all = pragma(output) || pragma(input);
        let differs = if self.options.webgl {
            // In a vertex shader the pragma makes every output invariant, and in a fragment shader nothing.
            x.flags.invariant != (y.flags.invariant || pragma(output))
        } else {
            x.flags.invariant != y.flags.invariant && !all
        };
        if differs && self.before(420, 300) {
            let (with, without) = if x.flags.invariant { (here, there) } else { (there, here) };
            let message = format!("`{name}` is `invariant` in the {with} shader and not in the {without} shader");
            self.conflict(input, output, "invariant-mismatch", message);
        }
        // Since GLSL 4.40 only the input's interpolation matters; GLSL ES still requires both to agree.
        let smooth = |i: Option<Interpolation>| if self.is_es() { i.or(Some(Interpolation::Smooth)) } else { i };
        let (a, b) = (smooth(x.interpolation), smooth(y.interpolation));
        if a != b && self.before(440, 1000) {
            let word = |i: Option<Interpolation>| match i {
                None => "has no interpolation qualifier",
                Some(Interpolation::Smooth) => "is `smooth`",
                Some(Interpolation::Flat) => "is `flat`",
                Some(Interpolation::NoPerspective) => "is `noperspective`",
            };
            let output_name = self.variable_name(output);
            let message = format!(
                "{here} shader input `{name}` {}, but the {there} shader's output `{output_name}` {}",
                word(a),
                word(b)
            );
            self.conflict(input, output, "interpolation-mismatch", message);
        }
    }

    /// Built-in varyings of the compatibility profile that may be redeclared with an interpolation. A fragment shader's
    /// colour comes from two outputs, one for each face (GLSL 1.30, 7.6).
    pub(super) fn match_colours(&mut self, producer: usize, consumer: usize) {
        const PAIRS: [(&str, &str); 6] = [
            ("gl_Color", "gl_FrontColor"),
            ("gl_Color", "gl_BackColor"),
            ("gl_SecondaryColor", "gl_FrontSecondaryColor"),
            ("gl_SecondaryColor", "gl_BackSecondaryColor"),
            ("gl_FogFragCoord", "gl_FogFragCoord"),
            ("gl_TexCoord", "gl_TexCoord"),
        ];
        if self.stages[consumer].stage != Stage::Fragment {
            return;
        }
        for (input, output) in PAIRS {
            let found =
                (self.builtin_at(consumer, input, Storage::In), self.builtin_at(producer, output, Storage::Out));
            if let (Some(input), Some(output)) = found {
                self.compare_qualifiers(input, output);
            }
        }
    }

    fn builtin_at(&self, index: usize, name: &str, storage: Storage) -> Option<Declared> {
        let mut found = self.named(index, name, storage).filter(|&at| {
            let row = self.variable(at);
            row.read || row.written
        });
        let first = found.next();
        first
            .filter(|&at| self.variable(at).declared.is_some())
            .or_else(|| found.find(|&at| self.variable(at).declared.is_some()).or(first))
    }

    /// GLSL ES 1.00, 4.6.4: an invariant built-in input of a fragment shader requires an invariant output.
    pub(super) fn check_invariant_builtins(&mut self) {
        if !self.is_es() || self.version.number != 100 {
            return;
        }
        let find = |stage: Stage| self.stages.iter().position(|s| s.stage == stage);
        let (Some(vertex), Some(fragment)) = (find(Stage::Vertex), find(Stage::Fragment)) else { return };
        for (input, output) in [("gl_FragCoord", "gl_Position"), ("gl_PointCoord", "gl_PointSize")] {
            let invariant = |at: &Declared| self.qualifiers(*at).flags.invariant;
            let found = self.named(fragment, input, Storage::In).find(invariant);
            let fed = self.named(vertex, output, Storage::Out).any(|at| invariant(&at));
            if let (Some(at), false) = (found, fed) {
                let message = format!("`{input}` is `invariant`, but the vertex shader's `{output}` is not");
                self.error_variable(at, "invariant-mismatch", message);
            }
        }
    }
}
