//! Programs: linked and lowered shaders, with connected interfaces.

mod block;
mod feedback;
mod fixed;
mod fragment;
mod interface;
mod subroutine;
mod uniform;
mod view;

use std::sync::Arc;

use emulator::glsl::LowerOptions;
use emulator::host::Space;
use emulator::ir::{Register, Registers, Variable};
use lanes::{Mask, Numerics};
use shader::Shader;
use shader::diagnostic::Severity;
use shader::link::{LinkDiagnostic, LinkOptions, Linked, LinkedStage, link_with};
use shader::qualifier::Storage;
use shader::typed::{StageLayout, VarId, VariableKind};
use shader::types::TypeTable;
use shader::version::Stage;

pub(crate) use feedback::Capture;
pub use fixed::BuiltinUniforms;
pub(crate) use fragment::{Builtin, FragmentPlan, Output, OutputKind, VaryingWord};
pub(crate) use interface::{Feed, Slot};
pub(crate) use uniform::Uniforms;
pub use uniform::{Target, UniformInfo};
use view::View;

/// Why a program could not be created.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    /// The shaders have errors or do not link.
    #[error("the program does not link")]
    Link(Vec<LinkDiagnostic>),
    /// The emulator cannot run one of the stages.
    #[error("{} shader: {what}", stage.name())]
    Unsupported {
        /// The stage.
        stage: Stage,
        /// What it cannot run.
        what: emulator::glsl::Unsupported,
    },
}

/// A linked program and the values of its uniforms. Clones share everything but these values.
#[derive(Clone)]
pub struct Program {
    pub(crate) shaders: Arc<Vec<Arc<Shader>>>,
    pub(crate) linked: Arc<Linked>,
    pub(crate) stages: Arc<Vec<StageProgram>>,
    pub(crate) uniforms: Uniforms,
    /// Their initial values.
    initial: Uniforms,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) fragment: Option<FragmentPlan>,
    /// The binding points of blocks, by block and instance.
    pub(crate) block_bindings: Vec<Vec<u32>>,
    pub(crate) capture: Capture,
    /// The index of the selected function, by subroutine uniform and element.
    subroutines: Vec<Vec<u32>>,
}

/// A stage, ready to run.
pub(crate) struct StageProgram {
    pub stage: Stage,
    /// The shaders it consists of.
    pub units: Vec<usize>,
    /// Their combined layouts.
    pub layout: StageLayout,
    pub program: Arc<emulator::ir::Program>,
    /// The types of these shaders in the program.
    types: Vec<emulator::glsl::Unit>,
    pub inputs: Vec<Slot>,
    pub outputs: Vec<Slot>,
    /// How the previous stage's outputs reach its inputs.
    pub feeds: Vec<Feed>,
    /// The number of words in a record of all outputs.
    pub record: u32,
    pub uniforms: Vec<uniform::Copy>,
    /// Built-in uniforms by name.
    pub builtin_uniforms: Arc<Vec<(String, Registers)>>,
    /// Register ranges of variables that are not uniforms: start and end.
    pub variable: Vec<(u32, u32)>,
    /// The space, the program's block and its instance, for each slot.
    pub slots: Vec<(Space, usize, usize)>,
}

/// An input of the vertex shader.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub name: String,
    /// Its first location; `None` for built-in attributes.
    pub location: Option<u32>,
    /// The registers of its columns, one location each.
    pub columns: Vec<Registers>,
    /// The first component it uses of a location.
    pub component: u32,
    pub scalar: shader::types::Scalar,
}

impl Program {
    /// Links and lowers shaders. With [`LinkOptions::separable`] each stage is a separate program, all bound to one
    /// program pipeline object; their interfaces are then not checked against each other.
    ///
    /// # Errors
    /// When the shaders do not link, or the emulator cannot run one of them.
    pub fn new<S: Into<Arc<Shader>>>(shaders: Vec<S>, options: &LinkOptions) -> Result<Program, Refusal> {
        Program::lowered_with(shaders, options, LowerOptions::default())
    }

    /// The same with numeric behaviour that differs from IEEE 754.
    ///
    /// # Errors
    /// When the shaders do not link, or the emulator cannot run one of them.
    pub fn lowered_with<S: Into<Arc<Shader>>>(
        shaders: Vec<S>,
        options: &LinkOptions,
        lowering: LowerOptions,
    ) -> Result<Program, Refusal> {
        let shaders = shaders.into_iter().map(Into::into).collect();
        Program::link_and_lower(shaders, options, lowering)
    }

    fn link_and_lower(
        mut shaders: Vec<Arc<Shader>>,
        options: &LinkOptions,
        lowering: LowerOptions,
    ) -> Result<Program, Refusal> {
        let link = |shaders: &[Arc<Shader>]| link_with(&shaders.iter().map(|s| &**s).collect::<Vec<_>>(), options);
        let mut linked = link(&shaders);
        // Separable stages are separate programs: mismatches between them are not errors.
        let mut problems = if options.separable { Vec::new() } else { std::mem::take(&mut linked.diagnostics) };
        for stage in Stage::ALL.into_iter().filter(|_| options.separable) {
            let units: Vec<usize> = (0..shaders.len()).filter(|unit| shaders[*unit].stage == stage).collect();
            if units.is_empty() {
                continue;
            }
            let alone = link_with(&units.iter().map(|unit| &*shaders[*unit]).collect::<Vec<_>>(), options);
            problems.extend(alone.diagnostics.into_iter().map(|mut problem| {
                problem.shader = problem.shader.map(|unit| units[unit]);
                problem
            }));
        }
        if problems.iter().any(|d| d.diagnostic.severity == Severity::Error) || shaders.iter().any(|s| s.has_errors()) {
            return Err(Refusal::Link(problems));
        }
        if fixed::complete(&mut shaders, options.separable) {
            let completed = link(&shaders);
            if completed.has_errors() {
                shaders.pop();
            } else {
                linked = completed;
            }
        }
        let mut lowered = Vec::new();
        for row in &linked.stages {
            let refused = |what| Refusal::Unsupported { stage: row.stage, what };
            let units: Vec<&Shader> = row.units.iter().map(|unit| &*shaders[*unit]).collect();
            lowered.push(emulator::glsl::lower_stage(&units, lowering).map_err(refused)?);
        }
        let rows = linked.stages.iter().zip(&lowered);
        let views: Vec<View<'_>> =
            rows.flat_map(|(row, lowered)| View::all(&shaders, &row.units, &lowered.program, &lowered.units)).collect();
        let mut uniforms = Uniforms::new(&linked, &shaders, &views);
        let mut stages: Vec<StageProgram> = Vec::new();
        for (row, lowered) in linked.stages.iter().zip(lowered) {
            let mut stage = StageProgram::new(&shaders, row, lowered, &linked, &uniforms);
            stage.initial_uniforms(&mut uniforms);
            if let Some(before) = stages.last().filter(|_| row.stage != Stage::Compute) {
                stage.feeds = interface::feeds(&linked, &before.outputs, row.stage, &stage.inputs);
            }
            stages.push(stage);
        }
        let mut program = Program {
            initial: uniforms.clone(),
            block_bindings: block::initial(&linked),
            subroutines: Program::first_subroutines(&linked),
            shaders: Arc::new(shaders),
            linked: Arc::new(linked),
            stages: Arc::new(stages),
            uniforms,
            attributes: Vec::new(),
            fragment: None,
            capture: Capture::default(),
        };
        program.attributes = program.list_attributes();
        program.fragment = program.plan_fragment();
        program.capture = Capture::of_layout(&program);
        Ok(program)
    }

    /// The results of linking: attributes, blocks and their layouts, varyings, subroutines.
    #[must_use]
    pub fn linked(&self) -> &Linked {
        &self.linked
    }

    /// The shaders it consists of.
    #[must_use]
    pub fn shaders(&self) -> &[Arc<Shader>] {
        &self.shaders
    }

    /// The uniform with this name: `a`, `a[2]`, `light[1].colour`.
    #[must_use]
    pub fn uniform(&self, name: &str) -> Option<UniformInfo> {
        self.uniforms.find(self, name)
    }

    /// Sets a uniform or consecutive elements of an array from the bits of their components; 64-bit components are two
    /// words, the low half first. Samplers and images hold unit numbers. Returns false if there is no such uniform.
    pub fn set_uniform(&mut self, name: &str, words: &[u32]) -> bool {
        let info = self.uniform(name);
        if let Some(info) = &info {
            self.uniforms.set(info, words);
        }
        info.is_some()
    }

    /// Resets all uniforms to their values after linking.
    pub fn reset_uniforms(&mut self) {
        self.uniforms = self.initial.clone();
    }

    /// The words of a uniform, up to the end of its array.
    #[must_use]
    pub fn uniform_value(&self, name: &str) -> Option<&[u32]> {
        Some(self.uniforms.get(&self.uniform(name)?))
    }

    /// The location of a vertex shader's input.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<u32> {
        self.attributes.iter().find(|a| a.name == name)?.location
    }

    /// `glBindAttribLocation`, after linking.
    pub fn bind_attribute(&mut self, name: &str, location: u32) {
        if let Some(row) = self.attributes.iter_mut().find(|a| a.name == name && a.location.is_some()) {
            row.location = Some(location);
        }
    }

    /// Whether it has a stage.
    #[must_use]
    pub fn has_stage(&self, stage: Stage) -> bool {
        self.stage(stage).is_some()
    }

    pub(crate) fn stage(&self, stage: Stage) -> Option<&StageProgram> {
        self.stages.iter().find(|s| s.stage == stage)
    }

    /// The last stage before rasterisation.
    pub(crate) fn last_vertex_stage(&self) -> Option<&StageProgram> {
        self.stages.iter().rfind(|s| !matches!(s.stage, Stage::Fragment | Stage::Compute))
    }

    fn list_attributes(&self) -> Vec<Attribute> {
        let Some(stage) = self.stage(Stage::Vertex) else { return Vec::new() };
        let mut list = Vec::new();
        for slot in &stage.inputs {
            let linked = self.linked.inputs.iter().find(|i| i.name == slot.name);
            let location = if slot.builtin { None } else { linked.and_then(|i| i.location) };
            let mut columns = Vec::new();
            let mut scalar = shader::types::Scalar::Float;
            let start = slot.words.first().copied().unwrap_or(0);
            crate::words::leaves(stage.types(slot.unit), slot.ty, start, &mut |at, leaf| {
                // A handle is an unsigned integer.
                scalar = leaf.scalar().unwrap_or(shader::types::Scalar::Uint);
                let (count, rows) = match leaf {
                    shader::types::Type::Matrix(_, columns, rows) => (u32::from(columns), u32::from(rows)),
                    shader::types::Type::Opaque(_) => (1, 1),
                    _ => (1, leaf.components()),
                };
                let len = rows * crate::words::width(scalar);
                columns.extend((0..count).map(|c| Registers { start: Register(at + c * len), len }));
            });
            let component = linked.map_or(0, |i| i.component);
            list.push(Attribute { name: slot.name.clone(), location, columns, component, scalar });
        }
        list
    }

    fn plan_fragment(&self) -> Option<FragmentPlan> {
        let stage = self.stage(Stage::Fragment)?;
        let outputs = self.last_vertex_stage().map_or(&[][..], |s| &s.outputs);
        Some(FragmentPlan::new(&self.linked, stage, outputs))
    }
}

impl StageProgram {
    fn new(
        shaders: &[Arc<Shader>],
        row: &LinkedStage,
        lowered: emulator::glsl::Stage,
        linked: &Linked,
        uniforms: &Uniforms,
    ) -> StageProgram {
        let emulator::glsl::Stage { program, units: types } = lowered;
        let views = View::all(shaders, &row.units, &program, &types);
        let inputs = interface::slots(&views, &[Storage::In]);
        let outputs = interface::slots(&views, &[Storage::Out, Storage::InOut]);
        let of_vertices = outputs.iter().filter(|slot| !slot.qualifiers.flags.patch);
        let record = of_vertices.map(|slot| slot.words.len() as u32).sum();
        let copies = uniforms.copies(linked, &views);
        let mut builtin_uniforms: Vec<(String, Registers)> = Vec::new();
        for view in &views {
            for (i, variable) in view.shader.typed.variables.iter().enumerate() {
                let builtin = matches!(variable.kind, VariableKind::Builtin);
                if builtin && variable.qualifiers.storage == Storage::Uniform {
                    let home = view.home(VarId(i as u32));
                    builtin_uniforms.extend(home.map(|home| (view.name(variable.name).to_owned(), home)));
                }
            }
        }
        let layout = view::layout(&views);
        let fixed = |home: &Registers| {
            let uniform = copies.iter().any(|c| c.to == home.start);
            uniform || builtin_uniforms.iter().any(|(_, of)| of.start == home.start)
        };
        let homes = program.variables.iter().filter_map(Variable::registers);
        let homes = homes.filter(|home| home.len > 0 && !fixed(home));
        let variable = merged(homes.map(|home| (home.start.0, home.start.0 + home.len)).collect());
        let slots = block::slots(linked, &row.units, &program);
        StageProgram {
            stage: row.stage,
            units: row.units.clone(),
            layout,
            program,
            types,
            inputs,
            outputs,
            feeds: Vec::new(),
            record,
            uniforms: copies,
            builtin_uniforms: Arc::new(builtin_uniforms),
            variable,
            slots,
        }
    }

    /// The shaders it consists of.
    fn views<'a>(&'a self, shaders: &'a [Arc<Shader>]) -> Vec<View<'a>> {
        View::all(shaders, &self.units, &self.program, &self.types)
    }

    /// The types of one of its shaders.
    pub(crate) fn types(&self, unit: usize) -> &TypeTable {
        &self.types[unit].types
    }

    /// Runs the initialisers once to determine the initial values of uniforms.
    fn initial_uniforms(&self, uniforms: &mut Uniforms) {
        if !self.uniforms.iter().any(|copy| copy.initialized) {
            return;
        }
        let mut wave: emulator::Wave<4> = emulator::Wave::new(&self.program, Numerics::IEEE);
        if wave.initialize(Mask::from_bits(1)).is_err() {
            return;
        }
        for copy in self.uniforms.iter().filter(|copy| copy.initialized) {
            for word in 0..copy.words {
                uniforms.set_word(copy.from + word, wave.register(Register(copy.to.0 + word))[0]);
            }
        }
    }

    /// An output by name: its first word in the record and the number of words.
    pub(crate) fn output(&self, name: &str) -> Option<(u32, u32)> {
        let slot = self.outputs.iter().find(|slot| slot.name == name)?;
        Some((slot.record, slot.words.len() as u32))
    }
}

/// Sorts ranges (start and end) and merges adjacent ones.
fn merged(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut all: Vec<(u32, u32)> = Vec::new();
    for (start, end) in ranges {
        match all.last_mut() {
            Some(last) if last.1 >= start => last.1 = last.1.max(end),
            _ => all.push((start, end)),
        }
    }
    all
}
