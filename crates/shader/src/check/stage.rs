//! Declarations for the whole stage: `layout(…) in;`, redeclared built-ins, `invariant x;`.

use super::Checker;
use super::layout::On;
use super::qualify::Gathered;
use super::scope::Binding;
use crate::ast::{Declarator, Name};
use crate::builtin::{self, Keyword};
use crate::qualifier::{Layout, Storage};
use crate::token::TokenSpan;
use crate::typed::{DerivativeGroup, Primitive, VarId, VariableKind};
use crate::types::Type;
use crate::version::Stage;

impl Checker<'_> {
    /// Qualifiers without names.
    pub(super) fn stage_layout(&mut self, gathered: &Gathered<'_>, tokens: TokenSpan) {
        if !self.is_global() {
            self.error(tokens, "layout", "a layout for the whole stage must be at global scope");
            return;
        }
        let on = match gathered.q.storage {
            Storage::In => On::ALL_IN,
            Storage::Out => On::ALL_OUT,
            Storage::Uniform => On::ALL_UNIFORM,
            Storage::Buffer => On::ALL_BUFFER,
            _ => {
                self.error(tokens, "syntax", "qualifiers without a type or name");
                return;
            }
        };
        if gathered.layout.is_empty() {
            self.error(tokens, "syntax", "qualifiers without a type or name");
            return;
        }
        let extra = gathered
            .words
            .iter()
            .find(|w| !matches!(w.0, Keyword::In | Keyword::Out | Keyword::Uniform | Keyword::Buffer));
        if let Some(&(word, place)) = extra {
            self.error(place, "qualifier", format!("`{}` does not go with a layout for the whole stage", word.name()));
        }
        let (layout, rest) = self.read_layout(&gathered.layout, on);
        match on {
            On::ALL_UNIFORM => merge_defaults(&mut self.defaults.uniform, &layout),
            On::ALL_BUFFER => merge_defaults(&mut self.defaults.buffer, &layout),
            _ => {}
        }
        if on == On::ALL_UNIFORM && (layout.binding.is_some() || layout.offset.is_some()) {
            self.error(tokens, "layout", "`binding` and `offset` are not for `uniform` alone");
        }
        if let Some(stream) = layout.stream {
            self.check_stream(stream, tokens);
            self.defaults.stream = stream;
        }
        self.check_xfb_layout(&layout, Type::Error, tokens);
        if let Some(buffer) = layout.xfb_buffer {
            self.defaults.xfb_buffer = buffer;
        }
        self.work_group_layout(&rest, tokens);
        for (a, b) in [
            ("bindless_sampler", "bound_sampler"),
            ("bindless_image", "bound_image"),
            ("inner_coverage", "post_depth_coverage"),
        ] {
            self.notes.stage_words.extend(rest.iter().filter(|r| r.0 == a || r.0 == b).map(|r| r.0.clone()));
            let said = |word: &str| self.notes.stage_words.iter().any(|w| w == word);
            if said(a) && said(b) {
                self.error(tokens, "layout", format!("`{a}` and `{b}` exclude each other"));
            }
        }
        // Within one declaration a later identifier overrides an earlier one with the same name (GLSL 4.60, 4.4).
        for (i, (name, value)) in rest.iter().enumerate() {
            if rest[i + 1..].iter().all(|later| later.0 != *name) {
                self.stage_word(name, *value, on, tokens);
            }
        }
    }

    fn stage_word(&mut self, name: &str, value: Option<u32>, on: On, tokens: TokenSpan) {
        let symbol = self.input.symbols.find(name);
        match name {
            "points"
            | "lines"
            | "lines_adjacency"
            | "triangles"
            | "triangles_adjacency"
            | "line_strip"
            | "triangle_strip"
            | "quads"
            | "isolines" => {
                let Some(primitive) = primitive(name) else { return };
                self.stage_primitive(primitive, on, tokens);
            }
            "max_vertices" => {
                let limit = self.limit("gl_MaxGeometryOutputVertices").unwrap_or(256).max(256);
                if value.is_some_and(|v| v > limit) {
                    self.error(tokens, "layout", format!("`max_vertices` is at most {limit}"));
                }
                let old = self.out.stage.max_vertices;
                self.out.stage.max_vertices = self.same_again(old, value, name, tokens);
            }
            "invocations" => {
                if value == Some(0) || value.is_some_and(|v| v > 32) {
                    self.error(tokens, "layout", "`invocations` is 1 to 32");
                }
                let old = self.out.stage.invocations;
                self.out.stage.invocations = self.same_again(old, value, name, tokens);
            }
            "vertices" => {
                let limit = self.limit("gl_MaxPatchVertices").unwrap_or(32);
                if value == Some(0) || value.is_some_and(|v| v > limit) {
                    self.error(tokens, "layout", format!("`vertices` is 1 to {limit}"));
                }
                let old = self.out.stage.vertices;
                self.out.stage.vertices = self.same_again(old, value, name, tokens);
                self.recheck_vertex_counts(Storage::Out);
            }
            "equal_spacing" | "fractional_even_spacing" | "fractional_odd_spacing" => {
                if self.out.stage.spacing.is_some() && self.out.stage.spacing != symbol {
                    self.error(tokens, "layout", "another spacing was given before");
                }
                self.out.stage.spacing = symbol;
            }
            "cw" | "ccw" => {
                if self.out.stage.vertex_order.is_some() && self.out.stage.vertex_order != symbol {
                    self.error(tokens, "layout", "another vertex order was given before");
                }
                self.out.stage.vertex_order = symbol;
            }
            "point_mode" => self.out.stage.point_mode = true,
            "local_size_x" => self.local_size(0, value, name, tokens),
            "local_size_y" => self.local_size(1, value, name, tokens),
            "local_size_z" => self.local_size(2, value, name, tokens),
            "local_size_variable" => self.out.stage.variable_local_size = true,
            "early_fragment_tests" => self.out.stage.early_fragment_tests = true,
            _ => {
                if name.starts_with("blend_support") {
                    self.out.stage.blend_support.extend(symbol);
                }
            }
        }
    }

    /// A value that is given several times must be the same each time.
    fn same_again(&mut self, old: Option<u32>, new: Option<u32>, name: &str, tokens: TokenSpan) -> Option<u32> {
        if let (Some(old), Some(new)) = (old, new)
            && old != new
        {
            self.error(tokens, "layout", format!("`{name}` was {old} before"));
        }
        new.or(old)
    }

    fn stage_primitive(&mut self, primitive: Primitive, on: On, tokens: TokenSpan) {
        let slot =
            if on == On::ALL_IN { &mut self.out.stage.input_primitive } else { &mut self.out.stage.output_primitive };
        let before = slot.replace(primitive);
        if before.is_some_and(|p| p != primitive) {
            self.error(tokens, "layout", "another primitive was given before");
        }
        if on == On::ALL_IN && self.dialect.stage == Stage::Geometry {
            self.recheck_vertex_counts(Storage::In);
        }
    }

    /// All declarations of the workgroup size must agree; missing dimensions are one.
    fn work_group_layout(&mut self, rest: &[(String, Option<u32>)], tokens: TokenSpan) {
        let sizes = ["local_size_x", "local_size_y", "local_size_z"]
            .map(|axis| rest.iter().rev().find(|r| r.0 == axis).and_then(|r| r.1));
        let fixed = sizes.iter().any(Option::is_some);
        let earlier = self.out.stage.local_size;
        let before = earlier.iter().any(Option::is_some);
        let filled = |s: [Option<u32>; 3]| s.map(|n| n.unwrap_or(1));
        if fixed && before && filled(sizes) != filled(earlier) {
            self.error(tokens, "layout", "the work group had another size before");
        }
        let variable = rest.iter().any(|r| r.0 == "local_size_variable");
        if variable && (fixed || before) || fixed && self.out.stage.variable_local_size {
            self.error(tokens, "layout", "the work group cannot have both a fixed and a variable size");
        }
        for arrangement in ["derivative_group_quadsNV", "derivative_group_linearNV"] {
            if rest.iter().any(|r| r.0 == arrangement) {
                self.notes.derivative_groups.push((arrangement, tokens));
                let quads = arrangement.contains("quads");
                let group = if quads { DerivativeGroup::Quads } else { DerivativeGroup::Linear };
                self.out.stage.derivative_group = Some(group);
            }
        }
    }

    fn local_size(&mut self, axis: usize, value: Option<u32>, name: &str, tokens: TokenSpan) {
        let limit = [1024, 1024, 64][axis];
        if value == Some(0) {
            self.error(tokens, "layout", format!("`{name}` cannot be zero"));
        } else if value.is_some_and(|v| v > limit) {
            self.error(tokens, "layout", format!("`{name}` is at most {limit}"));
        }
        self.out.stage.local_size[axis] = value;
    }

    // ---- per-vertex arrays ----

    /// The number of vertices in the stage's layout, for per-vertex arrays.
    pub(super) fn vertex_count(&self, storage: Storage) -> Option<u32> {
        match (self.dialect.stage, storage) {
            (Stage::Geometry, Storage::In) => self.out.stage.input_primitive.and_then(Primitive::vertices),
            (Stage::TessControl, Storage::Out) => self.out.stage.vertices,
            _ => None,
        }
    }

    pub(super) fn check_vertex_count(&mut self, ty: Type, storage: Storage, tokens: TokenSpan, text: &str) {
        let size = self.out.types.as_array(ty).and_then(|a| a.size);
        self.notes.vertex_arrays.push((storage, tokens));
        let stage = self.dialect.stage;
        match (stage, storage) {
            (Stage::TessControl | Stage::TessEvaluation, Storage::In) => {
                let limit = self.limit("gl_MaxPatchVertices").unwrap_or(32);
                if let Some(size) = size.filter(|&n| n != limit) {
                    self.error(
                        tokens,
                        "array-size",
                        format!("`{text}` has {size} elements; per-vertex inputs have `gl_MaxPatchVertices` ({limit}) or no size"),
                    );
                }
            }
            _ => {
                if let (Some(size), Some(count)) = (size, self.vertex_count(storage))
                    && size != count
                {
                    self.error(tokens, "array-size", format!("`{text}` has {size} elements for {count} vertices"));
                }
                if let Some(size) = size {
                    let earlier = self.notes.vertex_sizes.iter().find(|s| s.0 == storage).map(|s| s.1);
                    match earlier {
                        None => self.notes.vertex_sizes.push((storage, size, tokens)),
                        Some(earlier) if earlier != size => {
                            self.error(
                                tokens,
                                "array-size",
                                format!("`{text}` has {size} elements, another array of this kind has {earlier}"),
                            );
                        }
                        Some(_) => {}
                    }
                }
            }
        }
    }

    /// Arrays declared before the layout that sets their size.
    fn recheck_vertex_counts(&mut self, storage: Storage) {
        let Some(count) = self.vertex_count(storage) else { return };
        if let Some(&(_, size, tokens)) = self.notes.vertex_sizes.iter().find(|s| s.0 == storage)
            && size != count
        {
            self.error(tokens, "array-size", format!("an array of {size} elements for {count} vertices"));
        }
        let late = self.out.variables.iter().position(|v| {
            v.qualifiers.storage == storage
                && !v.qualifiers.flags.patch
                && matches!(v.kind, VariableKind::Global | VariableKind::Instance(_) | VariableKind::Builtin)
                && v.max_index.is_some_and(|m| m >= count)
                && self.out.types.as_array(v.ty).is_some_and(|a| a.size.is_none())
        });
        if let Some(index) = late {
            let (token, used) = (self.out.variables[index].declared, self.out.variables[index].max_index.unwrap_or(0));
            if let Some(token) = token {
                let error =
                    self.error_token(token, "out-of-bounds", format!("index {used} was used for {count} vertices"));
                self.report(error);
            }
        }
    }

    // ---- redeclaration ----

    /// Handles the redeclaration of a built-in variable; true if it was one.
    pub(super) fn redeclare_builtin(&mut self, gathered: &Gathered<'_>, declarator: &Declarator, ty: Type) -> bool {
        let symbol = declarator.name.symbol;
        let Some(Binding::Variable(id)) = self.resolve(symbol) else { return false };
        if !self.is_global() {
            return false;
        }
        let dialect = self.dialect;
        let text = self.name(symbol);
        let row = builtin::variables(symbol).iter().find(|v| v.when.holds(&dialect)).copied();
        let tokens = declarator.tokens;
        let variable = self.out.variable(id);
        if !matches!(variable.kind, VariableKind::Builtin) || row.is_none_or(|r| !r.requalify && !r.resize) {
            return false;
        }
        let (old_ty, old_q, max_index) = (variable.ty, variable.qualifiers, variable.max_index);
        let first = self.notes.redeclared.iter().all(|r| *r != id);
        if gathered.q.storage != old_q.storage && gathered.q.storage != Storage::Plain {
            let legacy = gathered.legacy;
            if !(legacy && gathered.q.storage == old_q.storage) {
                self.error(tokens, "redeclaration", format!("`{text}` is redeclared with another storage qualifier"));
            }
        } else if gathered.q.storage == Storage::Plain && text != "gl_LastFragData" {
            self.error(tokens, "redeclaration", format!("`{text}` must be redeclared with its storage qualifier"));
        }
        if self.innermost(ty) != self.innermost(old_ty) && ty != Type::Error {
            let (old, new) = (self.type_name(old_ty), self.type_name(ty));
            self.error(tokens, "redeclaration", format!("`{text}` is `{old}`, it cannot become `{new}`"));
            return true;
        }
        if let (Some(old), Some(new)) = (self.out.types.as_array(old_ty), self.out.types.as_array(ty)) {
            if old.element != new.element {
                self.error(tokens, "redeclaration", format!("`{text}` is redeclared with another type"));
                return true;
            }
            let resized = old.size.is_some() && old.size != new.size;
            if resized {
                self.error(tokens, "redeclaration", format!("`{text}` has a size already"));
            }
            if let (Some(size), Some(used)) = (new.size, max_index)
                && used >= size
            {
                self.error(
                    tokens,
                    "array-size",
                    format!("`{text}` is given {size} elements, but index {used} was used"),
                );
            }
            let limit = match text {
                "gl_TexCoord" => self.limit("gl_MaxTextureCoords"),
                "gl_ClipDistance" => self.limit("gl_MaxClipDistances"),
                "gl_CullDistance" => self.limit("gl_MaxCullDistances"),
                _ => None,
            };
            if let (Some(size), Some(limit)) = (new.size, limit)
                && size > limit
            {
                self.error(tokens, "array-size", format!("`{text}` has at most {limit} elements"));
            }
            self.out.variables[id.0 as usize].ty = ty;
        } else if self.out.types.as_array(old_ty).is_some() != self.out.types.as_array(ty).is_some() {
            self.error(tokens, "redeclaration", format!("`{text}` is redeclared with another type"));
        }
        self.redeclared_layout(gathered, id, text, tokens, first);
        if let Some(interpolation) = gathered.q.interpolation {
            self.out.variables[id.0 as usize].qualifiers.interpolation = Some(interpolation);
        }
        self.out.variables[id.0 as usize].qualifiers.flags.invariant |= gathered.q.flags.invariant;
        self.out.variables[id.0 as usize].declared = Some(declarator.name.token);
        if first {
            self.notes.redeclared.push(id);
        }
        true
    }

    fn redeclared_layout(&mut self, gathered: &Gathered<'_>, id: VarId, text: &str, tokens: TokenSpan, first: bool) {
        let on = match text {
            "gl_FragCoord" => On::FRAG_COORD,
            "gl_FragDepth" => On::FRAG_DEPTH,
            "gl_LastFragData" => On::FRAGMENT_OUT,
            _ => self.layout_target(gathered, Type::Error),
        };
        let (layout, rest) = self.read_layout(&gathered.layout, on);
        if layout != Layout::default() {
            self.out.variables[id.0 as usize].qualifiers.layout = self.with_output_defaults(layout, on);
        }
        let words: Vec<&str> = rest.iter().map(|r| r.0.as_str()).collect();
        match on {
            On::FRAG_COORD => {
                let upper = words.contains(&"origin_upper_left");
                let integer = words.contains(&"pixel_center_integer");
                let stage = &self.out.stage;
                if !first && (stage.origin_upper_left != upper || stage.pixel_center_integer != integer) {
                    self.error(tokens, "redeclaration", "`gl_FragCoord` was redeclared with another layout before");
                }
                if first && self.out.variable(id).read {
                    self.error(tokens, "redeclaration", "`gl_FragCoord` must be redeclared before it is used");
                }
                self.out.stage.origin_upper_left = upper;
                self.out.stage.pixel_center_integer = integer;
            }
            On::FRAG_DEPTH => {
                let variable = self.out.variable(id);
                if first && (variable.read || variable.written) {
                    self.error(tokens, "redeclaration", "`gl_FragDepth` must be redeclared before it is used");
                }
                let depth = words.first().and_then(|w| self.input.symbols.find(w));
                if !first && self.out.stage.depth != depth {
                    self.error(tokens, "redeclaration", "`gl_FragDepth` was redeclared with another layout before");
                }
                self.out.stage.depth = depth;
            }
            _ if text == "gl_Layer" => {
                self.out.stage.viewport_relative = Some(words.contains(&"viewport_relative"));
            }
            _ => {}
        }
    }

    /// `invariant a, b;` and `precise a;`
    pub(super) fn requalify(&mut self, gathered: &Gathered<'_>, names: &[Name]) {
        let invariant = gathered.has(Keyword::Invariant);
        let precise = gathered.has(Keyword::Precise);
        let tokens = gathered.tokens.unwrap_or_default();
        if !invariant && !precise {
            self.error(tokens, "syntax", "a declaration needs a type");
            return;
        }
        if gathered.words.iter().any(|w| !matches!(w.0, Keyword::Invariant | Keyword::Precise))
            || !gathered.layout.is_empty()
        {
            self.error(tokens, "qualifier", "only `invariant` and `precise` can be given to a name declared before");
        }
        if invariant && !self.is_global() {
            self.error(tokens, "invariant", "`invariant` must be at global scope");
        }
        for name in names {
            let place = TokenSpan { first: name.token, last: name.token };
            let text = self.name(name.symbol);
            match self.resolve(name.symbol) {
                Some(Binding::Variable(id)) if precise && self.out.variable(id).scope != self.scope => {
                    self.error(place, "precise", format!("`{text}` belongs to an outer scope"));
                }
                Some(Binding::Variable(id)) => self.requalify_variable(id, text, place, invariant, precise),
                Some(_) => self.error(place, "not-a-value", format!("`{text}` is not a variable")),
                None => self.undeclared(place, name.symbol),
            }
        }
    }

    fn requalify_variable(&mut self, id: VarId, text: &str, place: TokenSpan, invariant: bool, precise: bool) {
        let row = self.out.variable(id);
        let (storage, used, kind) = (row.qualifiers.storage, row.read || row.written, row.kind);
        let output = matches!(storage, Storage::Out | Storage::InOut);
        let input = storage == Storage::In
            && self.dialect.stage != Stage::Vertex
            && (!self.is_es() || self.dialect.version.number == 100);
        if invariant && !output && !input {
            self.error(place, "invariant", format!("`invariant` is only for outputs, `{text}` is not one"));
        } else if invariant && self.is_es() && text == "gl_FrontFacing" {
            // GLSL ES 1.00, 4.6.4: it is invariant if `gl_Position` is.
            self.error(place, "invariant", "`gl_FrontFacing` cannot be declared `invariant`");
        }
        if invariant && used && output {
            self.error(place, "invariant", format!("`{text}` was used before it is made `invariant`"));
        }
        if matches!(kind, VariableKind::Instance(_)) && invariant {
            self.error(place, "invariant", format!("`{text}` belongs to a block"));
        }
        let flags = &mut self.out.variables[id.0 as usize].qualifiers.flags;
        flags.invariant |= invariant;
        flags.precise |= precise;
    }
}

fn merge_defaults(defaults: &mut Layout, new: &Layout) {
    defaults.packing = new.packing.or(defaults.packing);
    defaults.matrix = new.matrix.or(defaults.matrix);
    defaults.align = new.align.or(defaults.align);
}

fn primitive(name: &str) -> Option<Primitive> {
    Some(match name {
        "points" => Primitive::Points,
        "lines" => Primitive::Lines,
        "lines_adjacency" => Primitive::LinesAdjacency,
        "triangles" => Primitive::Triangles,
        "triangles_adjacency" => Primitive::TrianglesAdjacency,
        "line_strip" => Primitive::LineStrip,
        "triangle_strip" => Primitive::TriangleStrip,
        "quads" => Primitive::Quads,
        "isolines" => Primitive::Isolines,
        _ => return None,
    })
}
