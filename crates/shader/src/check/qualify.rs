//! From syntax to [`Qualifiers`] (GLSL 4.60, 4.3 to 4.10): allowed combinations, order, and meaning in this stage.

use super::Checker;
use crate::ast::{LayoutArg, MemberSyntax, Name, QualifierKind, QualifierSyntax};
use crate::builtin::Keyword;
use crate::qualifier::{Interpolation, Qualifiers, Storage};
use crate::token::TokenSpan;
use crate::types::Precision;
use crate::version::Stage;

/// The position of qualifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QualifierPosition {
    Global,
    Local,
    Parameter,
    StructMember,
    BlockMember,
    Block,
    Result,
    /// Qualifiers with no type: `invariant x;`, `layout(…) in;`.
    Alone,
}

/// The qualifiers of one declaration, evaluated.
#[derive(Clone, Debug, Default)]
pub(super) struct Gathered<'a> {
    pub(super) q: Qualifiers,
    /// All layout identifiers, in order.
    pub(super) layout: Vec<LayoutArg>,
    /// The words, with their tokens.
    pub(super) words: Vec<(Keyword, TokenSpan)>,
    /// Names in `subroutine(…)`.
    pub(super) subroutines: Option<&'a [Name]>,
    /// All tokens.
    pub(super) tokens: Option<TokenSpan>,
    /// `attribute` or `varying` rather than `in` or `out`.
    pub(super) legacy: bool,
}

impl Gathered<'_> {
    pub(super) fn has(&self, keyword: Keyword) -> bool {
        self.words.iter().any(|w| w.0 == keyword)
    }

    pub(super) fn place_of(&self, keyword: Keyword) -> Option<TokenSpan> {
        self.words.iter().find(|w| w.0 == keyword).map(|w| w.1)
    }
}

/// The order that qualifiers had to have before GLSL 4.20 and ES 3.10: invariant, interpolation, storage, precision.
fn rank(keyword: Keyword, parameter: bool) -> u8 {
    use Keyword as K;
    match keyword {
        K::Precise => 0,
        K::Invariant => 1,
        K::Smooth | K::Flat | K::NoPerspective => 2,
        K::Const if parameter => 3,
        K::Centroid | K::Sample | K::Patch => 4,
        K::Const | K::In | K::Out | K::Inout | K::Uniform | K::Buffer | K::Shared | K::Attribute | K::Varying => 5,
        K::HighP | K::MediumP | K::LowP => 7,
        _ => 6,
    }
}

impl<'a> Checker<'a> {
    pub(super) fn gather(&mut self, list: &'a [QualifierSyntax], place: QualifierPosition) -> Gathered<'a> {
        let mut out = Gathered::default();
        let free_order = self.at_least(420, 310) || self.has("GL_ARB_shading_language_420pack");
        let mut highest = 0;
        for qualifier in list {
            out.tokens = Some(match out.tokens {
                None => qualifier.tokens,
                Some(t) => TokenSpan { first: t.first, last: qualifier.tokens.last },
            });
            match &qualifier.kind {
                QualifierKind::Layout(arguments) => {
                    if !free_order && highest > 4 {
                        self.error(qualifier.tokens, "qualifier-order", "`layout` comes before the storage qualifier");
                    }
                    if !out.layout.is_empty() && !free_order && !self.has("GL_ARB_enhanced_layouts") {
                        self.error(qualifier.tokens, "qualifier", "more than one `layout` for a declaration");
                    }
                    out.layout.extend_from_slice(arguments);
                }
                QualifierKind::Subroutine(names) => {
                    if out.subroutines.is_some() {
                        self.error(qualifier.tokens, "subroutine", "`subroutine` is given twice");
                    }
                    out.q.flags.subroutine = true;
                    out.subroutines = Some(names);
                }
                QualifierKind::Word(keyword) => {
                    let mut rank = rank(*keyword, place == QualifierPosition::Parameter);
                    // EXT_gpu_shader4 allows `centroid` and the interpolation in either order.
                    if *keyword == Keyword::Centroid && self.has("GL_EXT_gpu_shader4") {
                        rank = 2;
                    }
                    if !free_order && rank != 6 && rank < highest {
                        let version = self.dialect.version;
                        let error = self
                            .error_at(
                                qualifier.tokens,
                                "qualifier-order",
                                format!("`{}` comes too late in {version}", keyword.name()),
                            )
                            .note("the order is: invariant, interpolation, storage, precision");
                        self.report(error);
                    }
                    if rank != 6 {
                        highest = highest.max(rank);
                    }
                    self.add_word(&mut out, *keyword, qualifier.tokens, place);
                }
            }
        }
        self.check_combination(&out, place);
        out
    }

    fn add_word(&mut self, out: &mut Gathered<'_>, keyword: Keyword, tokens: TokenSpan, place: QualifierPosition) {
        use Keyword as K;
        let repeats = out.words.iter().any(|w| w.0 == keyword);
        // Only layout may be repeated, from 4.20 on; a repeated memory qualifier adds nothing.
        if repeats {
            self.error(tokens, "qualifier", format!("`{}` is given twice", keyword.name()));
        }
        out.words.push((keyword, tokens));
        let flags = &mut out.q.flags;
        match keyword {
            K::Invariant => flags.invariant = true,
            K::Precise => flags.precise = true,
            K::Centroid => flags.centroid = true,
            K::Sample => flags.sample = true,
            K::Patch => flags.patch = true,
            K::Coherent => flags.coherent = true,
            K::Volatile => flags.volatile = true,
            K::Restrict => flags.restrict = true,
            K::Readonly => flags.readonly = true,
            K::Writeonly => flags.writeonly = true,
            K::Subroutine => flags.subroutine = true,
            K::Smooth => self.interpolation(out, Interpolation::Smooth, tokens),
            K::Flat => self.interpolation(out, Interpolation::Flat, tokens),
            K::NoPerspective => self.interpolation(out, Interpolation::NoPerspective, tokens),
            K::HighP => self.precision(out, Precision::High, tokens),
            K::MediumP => self.precision(out, Precision::Medium, tokens),
            K::LowP => self.precision(out, Precision::Low, tokens),
            K::Const => self.storage(out, Storage::Const, tokens, place),
            K::In => self.storage(out, Storage::In, tokens, place),
            K::Out => self.storage(out, Storage::Out, tokens, place),
            K::Inout => self.storage(out, Storage::InOut, tokens, place),
            K::Uniform => self.storage(out, Storage::Uniform, tokens, place),
            K::Buffer => self.storage(out, Storage::Buffer, tokens, place),
            K::Shared => self.storage(out, Storage::Shared, tokens, place),
            K::Attribute => {
                out.legacy = true;
                self.storage(out, Storage::In, tokens, place);
            }
            K::Varying => {
                out.legacy = true;
                let storage = if self.dialect.stage == Stage::Fragment { Storage::In } else { Storage::Out };
                self.storage(out, storage, tokens, place);
            }
            _ => {}
        }
    }

    fn interpolation(&mut self, out: &mut Gathered<'_>, mode: Interpolation, tokens: TokenSpan) {
        if out.q.interpolation.is_some_and(|m| m != mode) {
            self.error(tokens, "qualifier", "more than one interpolation qualifier");
        }
        out.q.interpolation = Some(mode);
    }

    fn precision(&mut self, out: &mut Gathered<'_>, precision: Precision, tokens: TokenSpan) {
        if out.q.precision.is_some_and(|p| p != precision) {
            self.error(tokens, "qualifier", "more than one precision qualifier");
        }
        out.q.precision = Some(precision);
    }

    fn storage(&mut self, out: &mut Gathered<'_>, storage: Storage, tokens: TokenSpan, place: QualifierPosition) {
        let before = out.words[..out.words.len() - 1].iter().find(|w| is_storage(w.0));
        match before {
            None => out.q.storage = storage,
            // `const in` is the only allowed pair, for parameters; the variable is then constant in the body.
            Some((Keyword::Const, _)) if place == QualifierPosition::Parameter && storage == Storage::In => {}
            Some((Keyword::In, _)) if place == QualifierPosition::Parameter && storage == Storage::Const => {
                out.q.storage = storage;
            }
            // ARB_geometry_shader4 has `varying in` and `varying out`.
            Some((Keyword::Varying, _))
                if self.any(&["GL_ARB_geometry_shader4", "GL_EXT_gpu_shader4"])
                    && matches!(storage, Storage::In | Storage::Out) =>
            {
                out.q.storage = storage;
            }
            // Some compilers accept `in out` as `inout` for parameters; the language does not.
            Some((earlier, earlier_tokens)) => {
                let (first, second) = (earlier.name(), out.words[out.words.len() - 1].0.name());
                let error = self
                    .error_at(tokens, "qualifier", format!("`{second}` cannot be combined with `{first}`"))
                    .label(self.span(*earlier_tokens), "the other storage qualifier");
                self.report(error);
            }
        }
    }

    /// Rules that do not depend on the type: which words are allowed in which position and stage.
    fn check_combination(&mut self, out: &Gathered<'_>, place: QualifierPosition) {
        use Keyword as K;
        let stage = self.dialect.stage;
        for &(keyword, tokens) in &out.words {
            let name = keyword.name();
            let complaint: Option<String> = match (place, keyword) {
                (_, K::HighP | K::MediumP | K::LowP) => None,
                (
                    QualifierPosition::Local | QualifierPosition::StructMember | QualifierPosition::BlockMember,
                    K::Coherent | K::Volatile | K::Restrict | K::Readonly | K::Writeonly,
                ) if self.has("GL_ARB_bindless_texture") => None,
                // The examples of NV_shader_atomic_int64 have `shared` inside of a buffer block.
                (QualifierPosition::BlockMember, K::Shared) if self.has("GL_NV_shader_atomic_int64") => None,
                (QualifierPosition::Global | QualifierPosition::Block | QualifierPosition::Alone, K::Attribute)
                    if stage != Stage::Vertex =>
                {
                    Some(format!("`{name}` belongs to vertex shaders, this is a {} shader", stage.name()))
                }
                (QualifierPosition::Global | QualifierPosition::Alone, K::Varying)
                    if !matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Geometry) =>
                {
                    Some(format!("`{name}` is not for {} shaders", stage.name()))
                }
                (QualifierPosition::Global | QualifierPosition::Block, K::Inout)
                    if !self.framebuffer_fetch() || !self.at_least(130, 300) =>
                {
                    Some("`inout` is for parameters".to_owned())
                }
                (QualifierPosition::Global | QualifierPosition::Alone, K::In | K::Out)
                    if !self.at_least(130, 300) && !self.new_io() =>
                {
                    Some(format!("`{name}` is for parameters in {}", self.dialect.version))
                }
                (QualifierPosition::Global | QualifierPosition::Alone | QualifierPosition::Block, K::Out)
                    if stage == Stage::Compute =>
                {
                    Some("a compute shader has no outputs".to_owned())
                }
                (QualifierPosition::Global, K::In) if stage == Stage::Compute => {
                    Some("a compute shader has no inputs of its own".to_owned())
                }
                (QualifierPosition::Global | QualifierPosition::Alone, K::Shared) if stage != Stage::Compute => {
                    Some("`shared` variables belong to compute shaders".to_owned())
                }
                (QualifierPosition::Local, K::Const | K::Precise) => None,
                (QualifierPosition::Local, _) => Some(format!("`{name}` is not for variables inside a function")),
                (QualifierPosition::Parameter, K::Const | K::In | K::Out | K::Inout | K::Precise) => None,
                (
                    QualifierPosition::Parameter,
                    K::Coherent | K::Volatile | K::Restrict | K::Readonly | K::Writeonly,
                ) => None,
                (QualifierPosition::Parameter, _) => Some(format!("`{name}` is not for parameters")),
                (QualifierPosition::StructMember, _) => Some(format!("`{name}` is not for members of a structure")),
                (QualifierPosition::Result, K::Subroutine) => None,
                (QualifierPosition::Result, K::Precise) => None,
                (QualifierPosition::Result, _) => Some(format!("`{name}` is not for return types")),
                (QualifierPosition::BlockMember, K::Const | K::Attribute | K::Varying | K::Shared | K::Inout) => {
                    Some(format!("`{name}` is not for members of a block"))
                }
                (QualifierPosition::Block, K::Const | K::Attribute | K::Varying | K::Shared) => {
                    Some(format!("`{name}` is not for blocks"))
                }
                _ => None,
            };
            if let Some(complaint) = complaint {
                self.error(tokens, "qualifier", complaint);
            }
        }
        if !matches!(place, QualifierPosition::Local | QualifierPosition::Parameter) {
            self.check_interpolation(out, place);
        }
        if let (Some(_), Some(second)) = (out.place_of(K::Centroid), out.place_of(K::Sample)) {
            self.error(second, "qualifier", "`centroid` and `sample` exclude each other");
        }
        if let (true, Some(tokens)) = (out.legacy && !out.layout.is_empty(), out.tokens) {
            self.error(tokens, "layout", "`layout` does not go with `attribute` and `varying`; use `in` and `out`");
        }
        if let (Some(_), Some(second)) = (out.subroutines, out.place_of(K::Subroutine)) {
            self.error(second, "subroutine", "`subroutine` is given twice");
        }
    }

    fn check_interpolation(&mut self, out: &Gathered<'_>, place: QualifierPosition) {
        use Keyword as K;
        if matches!(place, QualifierPosition::StructMember | QualifierPosition::Result) {
            return;
        }
        let stage = self.dialect.stage;
        let io = matches!(out.q.storage, Storage::In | Storage::Out);
        let find = |list: &[K]| out.words.iter().find(|w| list.contains(&w.0)).copied();
        if let Some((keyword, tokens)) = find(&[K::Smooth, K::Flat, K::NoPerspective, K::Centroid, K::Sample]) {
            let name = keyword.name();
            if !io && place != QualifierPosition::BlockMember && place != QualifierPosition::Alone {
                self.error(tokens, "qualifier", format!("`{name}` is for inputs and outputs of a stage"));
            } else if io && out.q.storage == Storage::In && stage == Stage::Vertex {
                self.error(tokens, "qualifier", format!("`{name}` is not for inputs of a vertex shader"));
            } else if io && out.q.storage == Storage::Out && stage == Stage::Fragment {
                self.error(tokens, "qualifier", format!("`{name}` is not for outputs of a fragment shader"));
            } else if out.legacy
                && matches!(keyword, K::Smooth | K::Flat | K::NoPerspective)
                && !self.has("GL_EXT_gpu_shader4")
            {
                self.error(tokens, "qualifier", format!("`{name}` does not go with `varying`; use `in` or `out`"));
            }
        }
        if let Some((_, tokens)) = find(&[K::Patch]) {
            let ok = matches!(
                (stage, out.q.storage),
                (Stage::TessControl, Storage::Out) | (Stage::TessEvaluation, Storage::In)
            ) || (place == QualifierPosition::BlockMember && out.q.storage == Storage::Plain);
            if !ok {
                self.error(
                    tokens,
                    "qualifier",
                    "`patch` is for outputs of tessellation control and inputs of tessellation evaluation shaders",
                );
            }
        }
    }

    pub(super) fn framebuffer_fetch(&self) -> bool {
        self.dialect.stage == Stage::Fragment
            && self.any(&["GL_EXT_shader_framebuffer_fetch", "GL_EXT_shader_framebuffer_fetch_non_coherent"])
    }

    /// Extensions that add `in` and `out` for global variables to GLSL 1.10 and 1.20.
    fn new_io(&self) -> bool {
        self.any(&[
            "GL_ARB_geometry_shader4",
            "GL_EXT_gpu_shader4",
            "GL_ARB_explicit_attrib_location",
            "GL_ARB_fragment_coord_conventions",
            "GL_AMD_conservative_depth",
            "GL_ARB_conservative_depth",
            "GL_ARB_separate_shader_objects",
        ])
    }

    /// Members of a structure may only have a precision.
    pub(super) fn struct_member_qualifiers(&mut self, member: &'a MemberSyntax) -> Qualifiers {
        let gathered = self.gather(&member.qualifiers, QualifierPosition::StructMember);
        if let Some(argument) = gathered.layout.first() {
            self.error(
                TokenSpan { first: argument.name.token, last: argument.name.token },
                "layout",
                "`layout` is not for members of a structure",
            );
        }
        Qualifiers { precision: gathered.q.precision, ..Qualifiers::default() }
    }
}

pub(super) fn is_storage(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::Const | K::In | K::Out | K::Inout | K::Uniform | K::Buffer | K::Shared | K::Attribute | K::Varying
    )
}
