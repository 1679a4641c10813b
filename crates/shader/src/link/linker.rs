//! The shared state of the linker: shaders by stage, what is used, and reporting.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::BlockAt;
use super::{Declared, LinkDiagnostic, LinkOptions, Linked, LinkedStage};
use crate::analyze::Shader;
use crate::builtin;
use crate::diagnostic::{Diagnostic, Severity};
use crate::qualifier::{Qualifiers, Storage};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{TokenIndex, TokenSpan};
use crate::typed::{Typed, VarId, Variable, VariableKind};
use crate::types::{Type, TypeTable};
use crate::version::{Profile, Stage, Version};

/// The maximum number of diagnostics.
const MAX_DIAGNOSTICS: usize = 1_000;

pub(super) struct Linker<'a> {
    pub(super) shaders: &'a [&'a Shader],
    pub(super) options: &'a LinkOptions,
    pub(super) stages: Vec<LinkedStage>,
    /// By shader and variable: whether a reachable function, or a global initialiser, mentions it.
    pub(super) used: Vec<Vec<bool>>,
    /// By stage: its variables by name, so that look-ups are fast in long shaders.
    named: Vec<BTreeMap<&'a str, Vec<Declared>>>,
    /// By stage: its user-declared blocks by storage and name.
    blocks: Vec<BTreeMap<(Storage, &'a str), Vec<BlockAt>>>,
    /// The newest version among the shaders, which determines rules that changed over time.
    pub(super) version: Version,
    /// The number of block members listed so far.
    pub(super) listed: usize,
    pub(super) out: Linked,
}

impl<'a> Linker<'a> {
    pub(super) fn new(shaders: &'a [&'a Shader], options: &'a LinkOptions) -> Linker<'a> {
        let stages = Stage::ALL
            .into_iter()
            .map(|stage| {
                let units = (0..shaders.len()).filter(|&i| shaders[i].stage == stage).collect();
                LinkedStage { stage, units, main: None, reached: Vec::new() }
            })
            .filter(|s| !s.units.is_empty())
            .collect();
        let versions = shaders.iter().map(|s| s.preprocessed.version);
        let version =
            versions.max_by_key(|v| v.number).unwrap_or(Version { number: 110, profile: Profile::Compatibility });
        let out = Linked::default();
        let (named, blocks) = (Vec::new(), Vec::new());
        let mut linker = Linker { shaders, options, stages, used: Vec::new(), named, blocks, version, listed: 0, out };
        linker.index();
        linker
    }

    pub(super) fn run(mut self) -> Linked {
        if self.shaders.is_empty() {
            let message = "a program needs at least one shader";
            self.whole(Diagnostic {
                severity: Severity::Error,
                code: "missing-stage",
                message: message.to_owned(),
                labels: Vec::new(),
                notes: Vec::new(),
            });
            return self.out;
        }
        self.check_versions();
        self.check_stages();
        self.resolve_functions();
        self.check_globals();
        self.check_stage_layouts();
        self.check_per_vertex();
        self.match_blocks();
        self.match_varyings();
        self.assign_attachments();
        self.list_uniforms();
        self.list_subroutines();
        self.lay_out_feedback();
        self.check_limits();
        self.out.stages = self.stages;
        self.out
    }

    fn index(&mut self) {
        for stage in &self.stages {
            let mut named: BTreeMap<&'a str, Vec<Declared>> = BTreeMap::new();
            let mut blocks: BTreeMap<(Storage, &'a str), Vec<BlockAt>> = BTreeMap::new();
            for &unit in &stage.units {
                for at in self.globals(unit) {
                    named.entry(self.variable_name(at)).or_default().push(at);
                }
                for at in self.blocks_of(unit) {
                    blocks.entry((self.block(at).qualifiers.storage, self.block_name(at))).or_default().push(at);
                }
            }
            self.named.push(named);
            self.blocks.push(blocks);
        }
    }

    // ---- shaders and their contents ----

    /// Variables with this name and storage in the units of a stage.
    pub(super) fn named(&self, stage: usize, name: &str, storage: Storage) -> impl Iterator<Item = Declared> {
        let all = self.named[stage].get(name).map_or(&[][..], |list| list);
        all.iter().copied().filter(move |&at| self.qualifiers(at).storage == storage)
    }

    /// Declarations of a block in the units of a stage.
    pub(super) fn blocks_named(&self, stage: usize, storage: Storage, name: &'a str) -> &[BlockAt] {
        self.blocks[stage].get(&(storage, name)).map_or(&[], |list| list)
    }

    /// The blocks of a stage with this storage, each name once, in order of declaration.
    pub(super) fn stage_blocks(&self, stage: usize, storage: Storage) -> Vec<BlockAt> {
        let mut list: Vec<BlockAt> = self.blocks[stage]
            .iter()
            .filter(|(key, _)| key.0 == storage)
            .filter_map(|(_, b)| b.first().copied())
            .collect();
        list.retain(|&at| !self.block(at).builtin);
        list.sort_unstable();
        list
    }

    /// The index of an existing stage.
    pub(super) fn stage_index(&self, stage: Stage) -> usize {
        self.stages.iter().position(|s| s.stage == stage).unwrap_or(0)
    }

    pub(super) fn typed(&self, shader: usize) -> &'a Typed {
        &self.shaders[shader].typed
    }

    pub(super) fn types(&self, shader: usize) -> &'a TypeTable {
        &self.shaders[shader].typed.types
    }

    pub(super) fn name(&self, shader: usize, symbol: Symbol) -> &'a str {
        self.shaders[shader].preprocessed.symbols.name(symbol)
    }

    pub(super) fn variable(&self, at: Declared) -> &'a Variable {
        self.typed(at.shader).variable(at.variable)
    }

    pub(super) fn variable_name(&self, at: Declared) -> &'a str {
        self.name(at.shader, self.variable(at).name)
    }

    pub(super) fn qualifiers(&self, at: Declared) -> &'a Qualifiers {
        &self.variable(at).qualifiers
    }

    pub(super) fn stage_of(&self, shader: usize) -> Stage {
        self.shaders[shader].stage
    }

    pub(super) fn is_used(&self, at: Declared) -> bool {
        self.used.get(at.shader).and_then(|u| u.get(at.variable.0 as usize)).copied().unwrap_or(false)
    }

    /// The variables of a shader that others can see, without parameters and locals.
    pub(super) fn globals(&self, shader: usize) -> impl Iterator<Item = Declared> + use<'a> {
        self.shaders[shader].typed.variables.iter().enumerate().filter_map(move |(i, v)| {
            let global = !matches!(v.kind, VariableKind::Local | VariableKind::Parameter(..));
            global.then_some(Declared { shader, variable: VarId(i as u32) })
        })
    }

    /// User-declared variables of a stage with this storage, without blocks and their members; each name once.
    pub(super) fn interface(&self, stage: &LinkedStage, storage: Storage) -> Vec<Declared> {
        let mut seen = BTreeSet::new();
        let mut list = Vec::new();
        for &unit in &stage.units {
            for at in self.globals(unit) {
                let row = self.variable(at);
                let io = row.qualifiers.storage == storage
                    || storage == Storage::Out && row.qualifiers.storage == Storage::InOut;
                if matches!(row.kind, VariableKind::Global) && io && seen.insert(self.variable_name(at)) {
                    list.push(at);
                }
            }
        }
        list
    }

    /// Whether any unit of the stage uses a variable with this name.
    pub(super) fn used_in_stage(&self, stage: usize, name: &str, storage: Storage) -> bool {
        self.named(stage, name, storage).any(|at| self.is_used(at))
    }

    pub(super) fn is_es(&self) -> bool {
        self.version.is_es()
    }

    /// Whether the version is older than this desktop or ES version.
    pub(super) fn before(&self, desktop: u16, es: u16) -> bool {
        !self.version.at_least(desktop, es)
    }

    /// Value of an implementation limit by the name of its constant.
    pub(super) fn limit(&self, name: &str) -> Option<u32> {
        let given = self.options.limits.iter().find(|l| l.0 == name).map(|l| l.1);
        let table = || {
            let symbol = self.shaders.first()?.preprocessed.symbols.find(name)?;
            builtin::constants(symbol).first().and_then(|c| c.values.first().copied())
        };
        given.or_else(table).and_then(|value| u32::try_from(value).ok())
    }

    // ---- reporting ----

    pub(super) fn token_span(&self, shader: usize, token: TokenIndex) -> Span {
        self.shaders[shader].preprocessed.span(TokenSpan { first: token, last: token }).0
    }

    /// An error at a token of a shader.
    pub(super) fn error_at(
        &self,
        shader: usize,
        token: Option<TokenIndex>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Diagnostic {
        match token {
            Some(token) => {
                let (span, expansion) = self.shaders[shader].preprocessed.span(TokenSpan { first: token, last: token });
                Diagnostic::error(code, message, span).expanded_from(expansion)
            }
            None => Diagnostic::error(code, message, Span::default()),
        }
    }

    pub(super) fn report(&mut self, shader: usize, diagnostic: Diagnostic) {
        if self.out.diagnostics.len() < MAX_DIAGNOSTICS {
            self.out.diagnostics.push(LinkDiagnostic { shader: Some(shader), diagnostic });
        }
    }

    pub(super) fn whole(&mut self, diagnostic: Diagnostic) {
        self.out.diagnostics.push(LinkDiagnostic { shader: None, diagnostic });
    }

    /// An error about a variable, with another declaration of it in the notes.
    pub(super) fn conflict(&mut self, at: Declared, other: Declared, code: &'static str, message: String) {
        let mut error = self.error_at(at.shader, self.variable(at).declared, code, message);
        if at.shader == other.shader {
            if let Some(token) = self.variable(other).declared {
                error = error.label(self.token_span(other.shader, token), "the other one");
            }
        } else {
            error = error.note(self.place(other.shader, self.variable(other).declared));
        }
        self.report(at.shader, error);
    }

    pub(super) fn error_variable(&mut self, at: Declared, code: &'static str, message: String) {
        let error = self.error_at(at.shader, self.variable(at).declared, code, message);
        self.report(at.shader, error);
    }

    /// The element type of a per-vertex array; other types are returned unchanged.
    pub(super) fn per_vertex_element(&self, at: Declared) -> Type {
        let row = self.variable(at);
        let stage = self.stage_of(at.shader);
        if is_per_vertex(stage, &row.qualifiers) {
            self.types(at.shader).as_array(row.ty).map_or(row.ty, |a| a.element)
        } else {
            row.ty
        }
    }
}

/// Whether inputs or outputs of a stage are per-vertex arrays (GLSL 4.60, 4.3.4 and 4.3.6).
pub(super) fn is_per_vertex(stage: Stage, qualifiers: &Qualifiers) -> bool {
    match (stage, qualifiers.storage) {
        (Stage::Geometry, Storage::In) => true,
        (Stage::TessControl, Storage::In | Storage::Out) | (Stage::TessEvaluation, Storage::In) => {
            !qualifiers.flags.patch
        }
        _ => false,
    }
}
