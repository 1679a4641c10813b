//! A stage of a draw, ready to be walked through: its shader, its program, and everything around it.

use std::sync::Arc;

use device::Changes;
use inquiry::{DrawSnapshot, Inquiry, Shading};
use pipeline::BoundResources;
use reenact::Scene;
use shader::Shader;
use shader::ast::{NodeId, StmtId, StmtKind};
use shader::diagnostic::{Diagnostic, Severity};
use shader::source::Span;
use shader::version::{Options, Stage};
use state::Model;
use state::annotation::quoted;
use state::objects::program::ShaderOrProgram;

use crate::data::place::{Location, Source};
use crate::error::{ChangeError, SessionError};
use crate::locate;

/// What all invocations of one stage of one draw have in common.
pub struct Bench {
    pub work: Arc<DrawSnapshot>,
    pub stage: Stage,
    pub changes: Changes,
    pub scene: Scene,
    pub surroundings: BoundResources,
    pub source: Source,
    /// The shader with `main`, and how it was read. The scene has a shader of its own with the same numbers of nodes.
    pub options: Options,
}

impl Bench {
    /// Brings a stage of a draw to the CPU, with what is to be otherwise in it.
    pub fn new(
        inquiry: &mut Inquiry,
        work: &Arc<DrawSnapshot>,
        stage: Stage,
        changes: &Changes,
    ) -> Result<Bench, SessionError> {
        check(work, stage)?;
        let program = inquiry.program(work, stage)?;
        let scene = work.scene(stage, program, &mut inquiry.contents(work))?;
        Bench::of_scene(work, stage, changes, scene)
    }

    /// The same with everything that the stage reads from, as it was recorded.
    pub fn of_scene(
        work: &Arc<DrawSnapshot>,
        stage: Stage,
        changes: &Changes,
        mut scene: Scene,
    ) -> Result<Bench, SessionError> {
        check(work, stage)?;
        let (facts, view) = (work.facts(stage)?, work.view()?);
        for (name, picture) in &changes.textures {
            let size = [picture.width, picture.height];
            let refused = |why| ChangeError::Refused { name: name.clone(), why };
            scene.replace_texture(&view, name, size, &picture.rgba).map_err(refused)?;
        }
        for (name, numbers) in &changes.uniforms {
            let refused = |why| ChangeError::Refused { name: name.clone(), why };
            reenact::set_uniform(&mut scene.program, name, numbers).map_err(refused)?;
        }
        let source = source_of(facts, &work.model);
        let surroundings = BoundResources::new(&scene.state);
        let (work, changes, options) = (Arc::clone(work), changes.clone(), facts.options.clone());
        let bench = Bench { work, stage, changes, scene, surroundings, source, options };
        match (bench.scene.program.shader(stage), bench.scene.program.lowered(stage)) {
            (Some(_), Some(_)) => Ok(bench),
            _ => Err(SessionError::NoStage { command: bench.work.command, stage: stage.name() }),
        }
    }

    /// Returns whether it is of this stage of this draw, with these changes.
    pub fn is(&self, command: u64, stage: Stage, changes: &Changes) -> bool {
        self.work.command == command && self.stage == stage && self.changes == *changes
    }

    /// The shader that the program is made of.
    pub fn shader(&self) -> &Arc<Shader> {
        match self.scene.program.shader(self.stage) {
            Some(shader) => shader,
            None => unreachable!("a bench without its stage is not made"),
        }
    }

    /// The program that runs.
    pub fn lowered(&self) -> &Arc<emulator::ir::Program> {
        match self.scene.program.lowered(self.stage) {
            Some(program) => program,
            None => unreachable!("a bench without its stage is not made"),
        }
    }

    /// Whether anything is otherwise than recorded.
    pub fn is_changed(&self) -> bool {
        self.changes != Changes::default()
    }

    /// The stage, to make waves of.
    pub fn shading(&self) -> Shading<'_> {
        let Bench { scene, surroundings, stage, .. } = self;
        Shading {
            state: &scene.state,
            moments: &scene.moments,
            surroundings,
            program: &scene.program,
            stage: *stage,
            effort: None,
        }
    }

    /// The line in which a variable of a name, or its part, is declared: the next one from a moment on, or the first.
    pub fn declaration(&self, path: &str, at: &moment::Moment) -> Option<u32> {
        let name = path.split(['.', '[']).next().unwrap_or(path).trim();
        locate::declaration(self.shader(), name, self.location(at.site).line)
    }

    /// Where a node is. Of statements with others inside, their first part only.
    pub fn location(&self, site: impl Into<NodeId>) -> Location {
        let shader = self.shader();
        let span = headline(shader, site.into());
        let (from, to) = (shader.sources.locate(span.start), shader.sources.locate(span.end));
        let text = locate::on_one_line(shader.sources.slice(span));
        Location {
            source: self.source.id.clone(),
            line: from.line,
            column: from.column,
            end_line: to.line,
            end_column: to.column,
            text,
        }
    }

    /// The name of the function that a node is in.
    pub fn function(&self, site: impl Into<NodeId>) -> String {
        let shader = self.shader();
        let found = shader.enclosing_function(site.into()).map(|id| shader.typed.function(id).name);
        found.map_or("main", |name| shader.preprocessed.symbols.name(name)).to_owned()
    }
}

/// Checks that the front end accepts the shader of a stage.
fn check(work: &DrawSnapshot, stage: Stage) -> Result<(), SessionError> {
    let facts = work.facts(stage)?;
    let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
    match facts.shader.diagnostics.iter().find(is_error) {
        Some(finding) => {
            let (program, why) = (facts.program, finding.message.clone());
            Err(SessionError::ShaderInvalid { stage: stage.name(), program, why })
        }
        None => Ok(()),
    }
}

/// The text of a stage.
pub fn source_of(facts: &open_trace::StageShader, model: &Model) -> Source {
    // Programs are shared, and a name in several groups of contexts would be several programs: then it has no label here.
    let objects = model.groups.iter().filter_map(|group| Some((group, group.programs.get(&facts.program)?)));
    let mut labels = objects.map(|(group, one)| match &**one {
        ShaderOrProgram::Program(program) => group.label(program.object),
        ShaderOrProgram::Shader(_) => None,
    });
    let label = labels.next().flatten().filter(|_| labels.next().is_none());
    let name = match facts.stand_in {
        // A program that has both kinds of stages has a number, which says nothing about this one.
        Some(replaced) => format!("{replaced} as a {} shader", facts.stage.name()),
        None => format!("program {}{} {}", facts.program, quoted(label.as_deref()), facts.stage.name()),
    };
    let text = String::from_utf8_lossy(&facts.text).into_owned();
    Source { id: source_id(facts), name, text, stand_in: facts.stand_in.map(|replaced| replaced.to_string()) }
}

/// What the text of a stage is called by.
pub fn source_id(facts: &open_trace::StageShader) -> String {
    format!("{}-{:016x}", facts.stage.name().replace(' ', "-"), hash(&facts.text))
}

/// FNV-1a: enough to tell the texts of a trace apart, and the same everywhere.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// What of a node is about to run: of statements that have others inside, what is in front of those.
fn headline(shader: &Shader, node: NodeId) -> Span {
    let whole = shader.written(node);
    let NodeId::Stmt(id) = node else { return whole };
    let before = |inner: StmtId| shader.written(NodeId::Stmt(inner)).start;
    let end = match shader.tree.stmt(id).kind {
        StmtKind::If { then, .. } => before(then),
        StmtKind::For { body, .. } | StmtKind::While { body, .. } => before(body),
        StmtKind::DoWhile { body, condition } => {
            // What is asked stands behind the body.
            let _ = body;
            return shader.written(NodeId::Expr(condition));
        }
        StmtKind::Switch { selector, .. } => {
            return Span { start: whole.start, end: shader.written(NodeId::Expr(selector)).end };
        }
        _ => return whole,
    };
    if end <= whole.start || end > whole.end {
        return whole;
    }
    let text = shader.sources.slice(Span { start: whole.start, end }).trim_end();
    Span::new(whole.start.0, whole.start.0 + text.len() as u32)
}
