//! Interface blocks (GLSL 4.60, 4.3.9).

use std::collections::BTreeMap;

use super::Checker;
use super::layout::On;
use super::qualify::{Gathered, QualifierPosition};
use super::scope::Binding;
use crate::ast::{BlockSyntax, Declarator, MemberSyntax, Name, TypeSyntaxKind};
use crate::builtin::{self, AggregateKind, Keyword};
use crate::layout as memory;
use crate::qualifier::{Layout, MatrixOrder, Packing, Qualifiers, Storage};
use crate::symbol::Symbol;
use crate::token::TokenSpan;
use crate::typed::{Block, BlockId, VarId, VariableKind};
use crate::types::{Field, StructType, Type};
use crate::version::Stage;

/// The members so far, with an index by name for structures with many.
#[derive(Default)]
pub(super) struct Members {
    pub(super) fields: Vec<Field>,
    index: BTreeMap<Symbol, usize>,
}

impl Checker<'_> {
    pub(super) fn add_field(&mut self, members: &mut Members, declarator: &Declarator, ty: Type, q: Qualifiers) {
        let name = declarator.name.symbol;
        let span = self.token_span(declarator.name.token);
        if let Some(&previous) = members.index.get(&name) {
            let text = self.name(name);
            let mut error =
                self.error_token(declarator.name.token, "redefinition", format!("member `{text}` is declared twice"));
            if let Some(span) = members.fields[previous].declared {
                error = error.label(span, "declared here first");
            }
            self.report(error);
        }
        members.index.insert(name, members.fields.len());
        members.fields.push(Field { name, ty, qualifiers: q, declared: Some(span) });
    }
}

impl<'a> Checker<'a> {
    pub(super) fn block_declaration(&mut self, syntax: &'a BlockSyntax, tokens: TokenSpan) {
        let gathered = self.gather(&syntax.qualifiers, QualifierPosition::Block);
        let head = gathered.tokens.unwrap_or(tokens);
        let Some(on) = self.block_kind(&gathered, head) else { return };
        let text = self.name(syntax.name.symbol);
        let builtin = text.starts_with("gl_");
        if builtin && !self.is_builtin_block(syntax.name.symbol, gathered.q.storage) {
            self.error(
                TokenSpan { first: syntax.name.token, last: syntax.name.token },
                "reserved-name",
                format!("`{text}`: names that begin with `gl_` are reserved"),
            );
        }
        let (layout, rest) = self.read_layout(&gathered.layout, on);
        for (word, _) in rest {
            self.error(head, "layout", format!("`{word}` is not for a block"));
        }
        let defaults = match on {
            On::UNIFORM_BLOCK => self.defaults.uniform,
            On::BUFFER_BLOCK => self.defaults.buffer,
            _ => Layout::default(),
        };
        // WebGL 2.0, "Only std140 layout supported in uniform blocks": it is the default.
        let std140 = (self.options.webgl && on == On::UNIFORM_BLOCK).then_some(Packing::Std140);
        let layout = Layout {
            packing: layout.packing.or(defaults.packing).or(std140),
            matrix: layout.matrix.or(defaults.matrix),
            ..self.with_output_defaults(layout, on)
        };
        let mut q = gathered.q;
        q.layout = layout;
        let members = self.block_members(syntax, &gathered, &layout, on, builtin);
        if members.fields.is_empty() {
            self.error(tokens, "empty-block", "a block needs at least one member");
        }
        self.check_block_xfb(&members.fields, &layout, on, head);
        self.check_block_layout(&members.fields, &layout, on, syntax.name, head);
        let structure = self.add_struct(StructType { name: syntax.name.symbol, block: true, fields: members.fields });
        let ty = self.apply_dims(Type::Struct(structure), &syntax.dims, tokens);
        if !syntax.dims.is_empty() && syntax.instance.is_none() {
            self.error(tokens, "block", "an array of blocks needs an instance name");
        }
        self.check_block_array(&gathered, syntax, ty, tokens);
        if let Some(binding) = layout.binding {
            self.check_binding(binding, on, ty, head, text);
        }
        self.check_block_name(syntax.name, gathered.q.storage, builtin);
        let id = BlockId(self.out.blocks.len() as u32);
        self.out.blocks.push(Block {
            name: syntax.name.symbol,
            structure,
            qualifiers: q,
            instance: None,
            members: Vec::new(),
            ty,
            declared: Some(syntax.name.token),
            builtin,
        });
        if builtin {
            self.notes.redeclared_blocks.push((gathered.q.storage, id));
            self.check_per_vertex(syntax, id, gathered.q.storage, tokens);
        }
        match syntax.instance {
            Some(instance) => {
                if !(builtin && self.name(instance.symbol).starts_with("gl_")) {
                    self.check_new_name(instance);
                }
                let variable = self.add_variable(instance, ty, q, VariableKind::Instance(id), Self::after(tokens));
                self.bind_new(instance, Binding::Variable(variable));
                self.out.blocks[id.0 as usize].instance = Some(variable);
            }
            None => {
                let variables = self.bind_members(syntax, id, &q, builtin, tokens);
                self.out.blocks[id.0 as usize].members = variables;
            }
        }
    }

    /// Members of a block without an instance name are global names.
    fn bind_members(
        &mut self,
        syntax: &BlockSyntax,
        id: BlockId,
        block: &Qualifiers,
        builtin: bool,
        tokens: TokenSpan,
    ) -> Vec<VarId> {
        let structure = self.out.block(id).structure;
        let names: Vec<Name> = syntax.members.iter().flat_map(|m| &m.declarators).map(|d| d.name).collect();
        let mut variables = Vec::with_capacity(names.len());
        for (i, name) in names.into_iter().enumerate() {
            let Some(field) = self.out.types.structs[structure.0 as usize].fields.get(i) else { break };
            let (ty, mut q) = (field.ty, field.qualifiers);
            q.storage = block.storage;
            let text = self.name(name.symbol);
            if !(builtin && text.starts_with("gl_")) {
                self.check_new_name(name);
            }
            let variable = self.add_variable(name, ty, q, VariableKind::Member(id, i as u32), Self::after(tokens));
            self.bind_new(name, Binding::Variable(variable));
            variables.push(variable);
        }
        variables
    }

    /// The kind of block, if the stage and version have it.
    fn block_kind(&mut self, gathered: &Gathered<'_>, tokens: TokenSpan) -> Option<On> {
        let stage = self.dialect.stage;
        let io = [
            "GL_EXT_shader_io_blocks",
            "GL_OES_shader_io_blocks",
            "GL_EXT_geometry_shader",
            "GL_OES_geometry_shader",
            "GL_EXT_tessellation_shader",
            "GL_OES_tessellation_shader",
        ];
        let (on, available, need) = match gathered.q.storage {
            Storage::Uniform => (
                On::UNIFORM_BLOCK,
                self.at_least(140, 300) || self.has("GL_ARB_uniform_buffer_object"),
                "GLSL 1.40, GLSL ES 3.00 or GL_ARB_uniform_buffer_object",
            ),
            Storage::Buffer => (
                On::BUFFER_BLOCK,
                self.at_least(430, 310) || self.has("GL_ARB_shader_storage_buffer_object"),
                "GLSL 4.30, GLSL ES 3.10 or GL_ARB_shader_storage_buffer_object",
            ),
            Storage::In => (On::IN_BLOCK, self.at_least(150, 320) || self.any(&io), "GLSL 1.50 or GLSL ES 3.20"),
            Storage::Out => (On::OUT_BLOCK, self.at_least(150, 320) || self.any(&io), "GLSL 1.50 or GLSL ES 3.20"),
            _ => {
                self.error(tokens, "block", "a block is declared with `uniform`, `buffer`, `in` or `out`");
                return None;
            }
        };
        if !available {
            let version = self.dialect.version;
            let error = self
                .error_at(tokens, "block", format!("blocks of this kind are not available in {version}"))
                .note(format!("available from {need}"));
            self.report(error);
        }
        if on == On::IN_BLOCK && stage == Stage::Vertex {
            self.error(tokens, "block", "inputs of a vertex shader cannot be in a block");
        } else if on == On::OUT_BLOCK && stage == Stage::Fragment {
            self.error(tokens, "block", "outputs of a fragment shader cannot be in a block");
        }
        if matches!(on, On::UNIFORM_BLOCK | On::IN_BLOCK | On::OUT_BLOCK) {
            for word in [Keyword::Coherent, Keyword::Volatile, Keyword::Restrict, Keyword::Readonly, Keyword::Writeonly]
            {
                if let Some(place) = gathered.place_of(word) {
                    self.error(place, "memory-qualifier", format!("`{}` is for images and buffers", word.name()));
                }
            }
        }
        if let Some(place) = gathered.place_of(Keyword::Invariant) {
            self.error(place, "invariant", "`invariant` is not for a block as a whole");
        }
        Some(on)
    }

    fn is_builtin_block(&self, name: Symbol, storage: Storage) -> bool {
        let dialect = self.dialect;
        let per_vertex = self.name(name) == "gl_PerVertex";
        let known = builtin::aggregates().iter().any(|a| {
            a.name == name
                && a.when.holds(&dialect)
                && matches!(a.kind, AggregateKind::Block { storage: s, .. } if s == storage)
        });
        // In a vertex shader the outputs are plain variables of the table, but the block may be declared.
        known
            || (per_vertex
                && storage == Storage::Out
                && matches!(self.dialect.stage, Stage::Vertex | Stage::TessEvaluation | Stage::Geometry))
    }

    fn block_members(
        &mut self,
        syntax: &'a BlockSyntax,
        block: &Gathered<'_>,
        layout: &Layout,
        on: On,
        builtin: bool,
    ) -> Members {
        let mut members = Members::default();
        let member_on = match on {
            On::UNIFORM_BLOCK => On::UNIFORM_MEMBER,
            On::BUFFER_BLOCK => On::BUFFER_MEMBER,
            _ => On::IO_MEMBER,
        };
        let count = syntax.members.iter().map(|m| m.declarators.len()).sum::<usize>();
        let mut locations = (0, 0);
        for member in &syntax.members {
            let gathered = self.gather(&member.qualifiers, QualifierPosition::BlockMember);
            let (own, rest) = self.read_layout(&gathered.layout, member_on);
            for (word, _) in rest {
                self.error(member.tokens, "layout", format!("`{word}` is not for a member of a block"));
            }
            self.check_member_words(member, &gathered, block, on);
            if matches!(member.ty.kind, TypeSyntaxKind::Struct(_)) {
                self.error(member.ty.tokens, "nested-struct", "a structure cannot be defined inside a block");
            }
            let base = self.resolve_type(&member.ty);
            for declarator in &member.declarators {
                if let Some(init) = declarator.init {
                    self.expr(init);
                    self.error_expr(init, "initializer", "members of a block cannot be initialized");
                }
                let ty = self.apply_dims(base, &declarator.dims, declarator.tokens);
                self.check_member_type(ty, declarator.tokens);
                let last = members.fields.len() + 1 == count;
                self.check_block_member(declarator, ty, on, last, block, &gathered, &own);
                if own.stream.is_some_and(|stream| stream != layout.stream.unwrap_or(0)) {
                    self.error(declarator.tokens, "layout", "a member's `stream` must be that of its block");
                }
                if own.location.is_some() {
                    locations.0 += 1;
                }
                locations.1 += 1;
                let mut q = gathered.q;
                q.storage = block.q.storage;
                q.interpolation = q.interpolation.or(block.q.interpolation);
                q.flags.patch |= block.q.flags.patch;
                q.flags.readonly |= block.q.flags.readonly;
                q.flags.writeonly |= block.q.flags.writeonly;
                self.notes.write_only |= q.flags.writeonly;
                q.flags.coherent |= block.q.flags.coherent;
                q.flags.volatile |= block.q.flags.volatile;
                q.flags.restrict |= block.q.flags.restrict;
                q.layout = own;
                q.layout.align = own.align.or(layout.align);
                q.layout.matrix = own.matrix.or(layout.matrix);
                q.precision = self.precision_of(ty, gathered.q.precision, declarator.tokens);
                if !(builtin && self.name(declarator.name.symbol).starts_with("gl_")) {
                    self.check_identifier(declarator.name);
                }
                self.add_field(&mut members, declarator, ty, q);
            }
        }
        // Either all or none of the members have locations, unless the block has one (GLSL 4.60, 4.4.1).
        if layout.location.is_none() && locations.0 > 0 && locations.0 < locations.1 {
            self.error(
                TokenSpan { first: syntax.name.token, last: syntax.name.token },
                "layout",
                "either all members of a block have a `location` or none",
            );
        }
        members
    }

    fn check_member_words(&mut self, member: &MemberSyntax, own: &Gathered<'_>, block: &Gathered<'_>, on: On) {
        let nv_shared = own.q.storage == Storage::Shared && self.has("GL_NV_shader_atomic_int64");
        if own.q.storage != Storage::Plain && own.q.storage != block.q.storage && !nv_shared {
            self.error(member.tokens, "qualifier", "a member's storage differs from that of its block");
        }
        let io = matches!(on, On::IN_BLOCK | On::OUT_BLOCK);
        for &(word, tokens) in &own.words {
            use Keyword as K;
            let name = word.name();
            match word {
                K::Smooth | K::Flat | K::NoPerspective | K::Centroid | K::Sample | K::Patch if !io => {
                    self.error(tokens, "qualifier", format!("`{name}` is for members of input and output blocks"));
                }
                K::Coherent | K::Volatile | K::Restrict | K::Readonly | K::Writeonly if on != On::BUFFER_BLOCK => {
                    self.error(tokens, "memory-qualifier", format!("`{name}` is for images and buffers"));
                }
                K::Invariant if on != On::OUT_BLOCK && (on != On::IN_BLOCK || self.at_least(420, 300)) => {
                    self.error(tokens, "invariant", "`invariant` is for outputs");
                }
                _ => {}
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a member's check depends on all of these")]
    fn check_block_member(
        &mut self,
        declarator: &Declarator,
        ty: Type,
        on: On,
        last: bool,
        block: &Gathered<'_>,
        own: &Gathered<'_>,
        layout: &Layout,
    ) {
        let text = self.name(declarator.name.symbol);
        let tokens = declarator.tokens;
        let facts = self.type_facts(ty);
        if facts.opaque && !(self.has("GL_ARB_bindless_texture")) {
            self.error(
                tokens,
                "opaque-variable",
                format!("`{text}`: a block cannot hold samplers, images or counters"),
            );
        }
        let io = matches!(on, On::IN_BLOCK | On::OUT_BLOCK);
        if io && facts.boolean {
            self.error(tokens, "interface-type", format!("`{text}`: inputs and outputs cannot be `bool`"));
        }
        if let Some(array) = self.out.types.as_array(ty) {
            if array.size.is_none() && on == On::UNIFORM_BLOCK && self.is_es() {
                self.error(tokens, "unsized-array", format!("`{text}` needs an array size"));
            }
            if array.size.is_none() && on == On::BUFFER_BLOCK && !last && self.is_es() {
                self.error(
                    tokens,
                    "unsized-array",
                    format!("`{text}`: only the last member may be an array without a size"),
                );
            }
        }
        let flat = own.q.interpolation.or(block.q.interpolation) == Some(crate::qualifier::Interpolation::Flat);
        if on == On::IN_BLOCK
            && self.dialect.stage == Stage::Fragment
            && (facts.integer || facts.double)
            && !flat
            && !text.starts_with("gl_")
        {
            self.error(
                tokens,
                "flat",
                format!("`{text}`: integer and double inputs of a fragment shader must be `flat`"),
            );
        }
        self.check_xfb_layout(layout, ty, tokens);
        if let Some(stream) = layout.stream {
            self.check_stream(stream, tokens);
        }
        if let Some(align) = layout.align
            && !align.is_power_of_two()
        {
            self.error(tokens, "layout", format!("`align` must be a power of two, this is {align}"));
        }
    }

    /// Transform feedback layout of an output block.
    fn check_block_xfb(&mut self, fields: &[Field], layout: &Layout, on: On, tokens: TokenSpan) {
        if on != On::OUT_BLOCK {
            return;
        }
        let wide = fields.iter().map(|f| f.ty).find(|&ty| self.type_facts(ty).double);
        let first = wide.or(fields.first().map(|f| f.ty)).unwrap_or(Type::Error);
        self.check_xfb_layout(layout, first, tokens);
        let buffer = layout.xfb_buffer.unwrap_or(self.defaults.xfb_buffer);
        if let Some(field) = fields.iter().find(|f| f.qualifiers.layout.xfb_buffer.is_some_and(|b| b != buffer)) {
            let name = self.name(field.name);
            self.error(tokens, "layout", format!("member `{name}` has another `xfb_buffer` than its block ({buffer})"));
        }
    }

    /// Offsets, alignment and size of the block's memory.
    fn check_block_layout(&mut self, fields: &[Field], layout: &Layout, on: On, name: Name, tokens: TokenSpan) {
        if !matches!(on, On::UNIFORM_BLOCK | On::BUFFER_BLOCK) {
            return;
        }
        let explicit =
            fields.iter().any(|f| f.qualifiers.layout.offset.is_some() || f.qualifiers.layout.align.is_some());
        let packing = layout.packing.unwrap_or(Packing::Shared);
        if (explicit || layout.align.is_some()) && !matches!(packing, Packing::Std140 | Packing::Std430) {
            self.error(tokens, "layout", "`offset` and `align` need `std140` or `std430`");
            return;
        }
        if layout.align.is_some_and(|a| !a.is_power_of_two()) {
            self.error(tokens, "layout", "`align` must be a power of two");
            return;
        }
        if !explicit {
            return;
        }
        let order = layout.matrix.unwrap_or(MatrixOrder::ColumnMajor);
        let rules = memory::BlockRules { packing, matrix: order, buffer: on == On::BUFFER_BLOCK, most: 0 };
        if let Err(error) = memory::block_layout(&self.out.types, &self.input.symbols, fields, rules) {
            let (text, member) = (self.name(name.symbol), self.name(fields[error.field].name));
            let problem = error.problem;
            self.error(tokens, "layout", format!("block `{text}`: member `{member}` {problem}"));
        }
    }

    fn check_block_array(&mut self, gathered: &Gathered<'_>, syntax: &BlockSyntax, ty: Type, tokens: TokenSpan) {
        let storage = gathered.q.storage;
        let stage = self.dialect.stage;
        let array = self.out.types.as_array(ty);
        let needs_array = match (stage, storage) {
            (Stage::Geometry | Stage::TessControl, Storage::In) => true,
            (Stage::TessControl, Storage::Out) | (Stage::TessEvaluation, Storage::In) => !gathered.q.flags.patch,
            _ => false,
        };
        if needs_array {
            if array.is_none() {
                let what = if storage == Storage::In { "inputs" } else { "outputs" };
                let stage = stage.name();
                self.error(
                    tokens,
                    "interface-array",
                    format!("{what} of a {stage} shader are arrays, one element for each vertex"),
                );
            } else {
                let text = self.name(syntax.instance.unwrap_or(syntax.name).symbol);
                self.check_vertex_count(ty, storage, tokens, text);
            }
        } else if array.is_some_and(|a| a.size.is_none()) && (self.is_es() || storage == Storage::Uniform) {
            self.error(tokens, "unsized-array", "an array of blocks needs a size");
        }
        if self.has_inner_unsized(ty) {
            self.error(tokens, "unsized-array", "only the outermost dimension of an array may be left open");
        }
        let placed = |f: &Field| f.qualifiers.layout.location.is_some();
        let located = match self.innermost(ty) {
            Type::Struct(id) => self.out.types.structs[id.0 as usize].fields.iter().any(placed),
            _ => false,
        };
        if located && array.is_some() && !needs_array {
            self.error(tokens, "layout", "members of a block in an array cannot have a `location`");
        }
        let nested = array.is_some_and(|a| self.out.types.as_array(a.element).is_some());
        if nested && self.is_es() && !matches!(storage, Storage::In | Storage::Out) {
            self.error(tokens, "block", "there are no arrays of arrays of blocks in GLSL ES");
        }
    }

    /// A block's name is global and may be used once per interface.
    fn check_block_name(&mut self, name: Name, storage: Storage, builtin: bool) {
        if !builtin {
            self.check_identifier(name);
        }
        let text = self.name(name.symbol);
        let earlier = *self.notes.blocks.entry((name.symbol, storage)).or_insert(name.token);
        if earlier != name.token {
            let error = self
                .error_token(name.token, "redefinition", format!("block `{text}` is declared twice"))
                .label(self.token_span(earlier), "declared here first");
            self.report(error);
            return;
        }
        match self.bindings.get_here(name.symbol) {
            None => self.bind_new(name, Binding::Block),
            Some(Binding::Block) => {}
            Some(_) if builtin => {}
            Some(_) => self.check_new_name(name),
        }
    }
}
