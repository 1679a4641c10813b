//! The stages of a program, and their layouts.

use super::Declared;
use super::linker::Linker;
use crate::diagnostic::{Diagnostic, Severity};
use crate::qualifier::Storage;
use crate::typed::{Primitive, StageLayout};
use crate::version::Stage;

impl Linker<'_> {
    /// GLSL ES shaders must all have the same version; desktop versions can be mixed, but not with ES (GLSL 4.60, 3.3).
    pub(super) fn check_versions(&mut self) {
        let first = self.shaders[0].preprocessed.version;
        for shader in 1..self.shaders.len() {
            let version = self.shaders[shader].preprocessed.version;
            let mixed = version.is_es() != first.is_es() || version.is_es() && version.number != first.number;
            if mixed {
                let name = self.shader_name(0);
                let message = format!("a {version} shader cannot be linked with one of {first}");
                let error = self
                    .error_at(shader, None, "version-mix", message)
                    .note(format!("the {name} is written in {first}"));
                self.report(shader, error);
                return;
            }
        }
    }

    pub(super) fn has_stage(&self, stage: Stage) -> bool {
        self.stages.iter().any(|s| s.stage == stage)
    }

    /// GL 4.6, 7.3: which stages require which others.
    pub(super) fn check_stages(&mut self) {
        let has = |stage| self.has_stage(stage);
        let mut problems: Vec<(&'static str, String)> = Vec::new();
        if has(Stage::Compute) && self.stages.len() > 1 {
            problems.push(("compute-mix", "a compute shader cannot be linked with other stages".to_owned()));
        }
        if !self.options.separable {
            for stage in [Stage::Geometry, Stage::TessEvaluation, Stage::TessControl] {
                if has(stage) && !has(Stage::Vertex) {
                    problems.push(("missing-stage", format!("a {} shader needs a vertex shader", stage.name())));
                }
            }
            if has(Stage::TessControl) && !has(Stage::TessEvaluation) {
                let message = "a tessellation control shader needs a tessellation evaluation shader";
                problems.push(("missing-stage", message.to_owned()));
            }
            if self.is_es() && has(Stage::TessEvaluation) && !has(Stage::TessControl) {
                let message = "in GLSL ES a tessellation evaluation shader needs a tessellation control shader";
                problems.push(("missing-stage", message.to_owned()));
            }
            if self.is_es() && !has(Stage::Compute) {
                for stage in [Stage::Vertex, Stage::Fragment] {
                    if !has(stage) {
                        let message = format!("a program of GLSL ES needs a {} shader", stage.name());
                        problems.push(("missing-stage", message));
                    }
                }
            }
        }
        for (code, message) in problems {
            let note = "a separable program may leave stages to others";
            let notes = if code == "missing-stage" { vec![note.to_owned()] } else { Vec::new() };
            self.whole(Diagnostic { severity: Severity::Error, code, message, labels: Vec::new(), notes });
        }
        if !self.is_es() {
            return;
        }
        let repeated: Vec<usize> = self.stages.iter().filter_map(|s| s.units.get(1).copied()).collect();
        for shader in repeated {
            let stage = self.stage_of(shader).name();
            let message = format!("GLSL ES links one {stage} shader, not several");
            let error = self.error_at(shader, None, "several-shaders", message);
            self.report(shader, error);
        }
    }

    /// The layouts of a stage's units must agree, and some are mandatory (GLSL 4.60, 4.4.1, 4.4.2).
    pub(super) fn check_stage_layouts(&mut self) {
        for index in 0..self.stages.len() {
            let stage = self.stages[index].stage;
            let primitive = |p: Primitive| format!("{p:?}");
            self.agree(index, "input primitive", |_, l| l.input_primitive.map(primitive));
            self.agree(index, "output primitive", |_, l| l.output_primitive.map(primitive));
            self.agree(index, "`max_vertices`", |_, l| l.max_vertices.map(|n| n.to_string()));
            self.agree(index, "`invocations`", |_, l| l.invocations.map(|n| n.to_string()));
            self.agree(index, "`vertices`", |_, l| l.vertices.map(|n| n.to_string()));
            self.agree(index, "spacing", |s, l| l.spacing.map(|w| s.to_owned_name(w)));
            self.agree(index, "vertex order", |s, l| l.vertex_order.map(|w| s.to_owned_name(w)));
            self.agree(index, "local size", |_, l| {
                let size = l.local_size.map(|n| n.unwrap_or(1).to_string());
                l.local_size.iter().any(Option::is_some).then(|| size.join("×"))
            });
            let relative = |relative: bool| if relative { "viewport_relative" } else { "absolute" }.to_owned();
            self.agree(index, "layout of `gl_Layer`", |_, l| l.viewport_relative.map(relative));
            match stage {
                // In the extensions of older versions the application sets it.
                Stage::Geometry if self.before(150, 310) => self.check_geometry_arrays(index),
                Stage::Geometry => {
                    self.require(index, "input primitive, as in `layout(triangles) in;`", |l| {
                        l.input_primitive.is_some()
                    });
                    self.require(index, "output primitive, as in `layout(triangle_strip) out;`", |l| {
                        l.output_primitive.is_some()
                    });
                    self.require(index, "`max_vertices`, as in `layout(max_vertices = 3) out;`", |l| {
                        l.max_vertices.is_some()
                    });
                    self.check_streams(index);
                    self.check_geometry_arrays(index);
                }
                Stage::TessControl => {
                    self.require(index, "number of vertices, as in `layout(vertices = 3) out;`", |l| {
                        l.vertices.is_some()
                    });
                }
                Stage::TessEvaluation => {
                    self.require(index, "primitive mode, as in `layout(triangles) in;`", |l| {
                        l.input_primitive.is_some()
                    });
                }
                Stage::Compute => {
                    self.require(index, "local size, as in `layout(local_size_x = 64) in;`", |l| {
                        l.variable_local_size || l.local_size.iter().any(Option::is_some)
                    });
                    self.check_variable_size(index);
                }
                Stage::Vertex => self.check_position(index),
                Stage::Fragment => self.check_fragment(index),
            }
        }
    }

    fn agree(&mut self, index: usize, what: &str, get: impl Fn(&Named<'_>, &StageLayout) -> Option<String>) {
        let mut first: Option<(usize, String)> = None;
        for unit in self.stages[index].units.clone() {
            let named = Named(&self.shaders[unit].preprocessed.symbols);
            let Some(value) = get(&named, &self.typed(unit).stage) else { continue };
            match &first {
                None => first = Some((unit, value)),
                Some((other, earlier)) if *earlier != value => {
                    let (here, there) = (self.shader_name(unit), self.shader_name(*other));
                    let message = format!("the {what} is {value} in {here} and {earlier} in {there}");
                    let error = self.error_at(unit, None, "stage-layout", message);
                    self.report(unit, error);
                    return;
                }
                Some(_) => {}
            }
        }
    }

    fn require(&mut self, index: usize, what: &str, given: impl Fn(&StageLayout) -> bool) {
        if !self.stages[index].units.iter().any(|&u| given(&self.typed(u).stage)) {
            let (stage, unit) = (self.stages[index].stage.name(), self.stages[index].units[0]);
            let error =
                self.error_at(unit, None, "stage-layout", format!("the {stage} shader does not declare its {what}"));
            self.report(unit, error);
        }
    }

    fn check_variable_size(&mut self, index: usize) {
        let units = &self.stages[index].units;
        let variable = units.iter().copied().find(|&u| self.typed(u).stage.variable_local_size);
        let fixed = units.iter().any(|&u| self.typed(u).stage.local_size.iter().any(Option::is_some));
        if let (Some(unit), true) = (variable, fixed) {
            let message = "the local size is both fixed and variable";
            let error = self.error_at(unit, None, "stage-layout", message);
            self.report(unit, error);
        }
    }

    /// Whether some unit writes a built-in output.
    pub(super) fn writes(&self, index: usize, name: &str) -> Option<Declared> {
        self.named(index, name, Storage::Out).find(|&at| self.variable(at).written)
    }

    /// Up to GLSL 1.30 a vertex shader must write `gl_Position` (GLSL 1.10, 7.1).
    fn check_position(&mut self, index: usize) {
        if self.before(140, 300) && self.writes(index, "gl_Position").is_none() && self.stages[index].main.is_some() {
            let unit = self.stages[index].main.map_or(self.stages[index].units[0], |m| m.shader);
            let mut finding =
                self.error_at(unit, None, "position-not-written", "the vertex shader does not write `gl_Position`");
            if self.is_es() {
                finding.severity = Severity::Warning;
            }
            self.report(unit, finding);
        }
    }

    /// GLSL 4.60, 7.1.7: the kinds of colour output exclude each other, across all units; redeclarations of
    /// `gl_FragCoord` and `gl_FragDepth` must agree (4.4.1 and 4.4.2).
    fn check_fragment(&mut self, index: usize) {
        if self.stages[index].units.len() < 2 {
            return;
        }
        let (color, data) = (self.writes(index, "gl_FragColor"), self.writes(index, "gl_FragData"));
        if let (Some(color), Some(data)) = (color, data)
            && color.shader != data.shader
        {
            let (a, b) = (self.shader_name(color.shader), self.shader_name(data.shader));
            let message = format!("`gl_FragColor` is written in {a} and `gl_FragData` in {b}");
            self.error_variable(data, "fragment-outputs", message);
        }
        self.agree_redeclared(index, "gl_FragCoord", Storage::In, |redeclared, l| {
            format!("{redeclared} {} {}", l.origin_upper_left, l.pixel_center_integer)
        });
        self.agree_redeclared(index, "gl_FragDepth", Storage::Out, |_, l| format!("{:?}", l.depth));
    }

    /// All units that redeclare a built-in must agree, and so must all units that use it.
    fn agree_redeclared(
        &mut self,
        index: usize,
        name: &str,
        storage: Storage,
        layout: impl Fn(bool, &StageLayout) -> String,
    ) {
        let mentions: Vec<Declared> = self.named(index, name, storage).collect();
        let Some(&redeclared) = mentions.iter().find(|&&at| self.variable(at).declared.is_some()) else { return };
        let expected = layout(true, &self.typed(redeclared.shader).stage);
        for at in mentions {
            if layout(self.variable(at).declared.is_some(), &self.typed(at.shader).stage) != expected {
                self.conflict(
                    at,
                    redeclared,
                    "redeclaration",
                    format!("`{name}` is declared differently in another shader"),
                );
                return;
            }
        }
    }
}

/// Spellings of a shader's words.
struct Named<'a>(&'a crate::symbol::Symbols);

impl Named<'_> {
    fn to_owned_name(&self, symbol: crate::symbol::Symbol) -> String {
        format!("`{}`", self.0.name(symbol))
    }
}
