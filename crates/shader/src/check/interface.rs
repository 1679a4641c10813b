//! Rules for inputs, outputs, uniforms and other variables (GLSL 4.60, 4.3).

use super::Checker;
use super::layout::On;
use super::qualify::Gathered;
use crate::ast::{Name, TypeSyntax};
use crate::builtin::Keyword;
use crate::qualifier::{Interpolation, Layout, Qualifiers, Storage};
use crate::token::TokenSpan;
use crate::types::{Dim, Opaque, OpaqueKind, Scalar, Type};
use crate::version::Stage;

impl Checker<'_> {
    pub(super) fn counter_type(&self) -> Type {
        Type::Opaque(Opaque {
            kind: OpaqueKind::AtomicUint,
            texel: Scalar::Uint,
            dim: Dim::Buffer,
            array: false,
            shadow: false,
            multisample: false,
        })
    }

    /// Checks the type against storage and position.
    pub(super) fn check_variable(
        &mut self,
        gathered: &Gathered<'_>,
        _syntax: &TypeSyntax,
        name: Name,
        ty: Type,
        tokens: TokenSpan,
    ) {
        if ty == Type::Error {
            return;
        }
        let storage = gathered.q.storage;
        let text = self.name(name.symbol);
        let facts = self.type_facts(ty);
        if facts.opaque && storage != Storage::Uniform {
            let handle = self.has("GL_ARB_bindless_texture") && !self.is_counter(ty);
            if !handle {
                self.error(
                    tokens,
                    "opaque-variable",
                    format!("`{text}`: variables of type `{}` must be uniforms or parameters", self.type_name(ty)),
                );
                return;
            }
        }
        if gathered.q.flags.subroutine
            && (storage != Storage::Uniform || !matches!(self.innermost(ty), Type::Subroutine(_)))
        {
            self.error(tokens, "subroutine", "only uniforms of a subroutine type are declared with `subroutine`");
            return;
        }
        match storage {
            Storage::In | Storage::Out | Storage::InOut => self.check_io(gathered, ty, tokens, text),
            Storage::Buffer => self.error(tokens, "buffer", "`buffer` is for blocks, not for single variables"),
            Storage::Shared if facts.opaque => {}
            _ => {}
        }
        self.check_memory_words(gathered, ty, tokens);
        if self.is_es() && self.out.types.as_array(ty).is_some_and(|a| a.size.is_none()) {
            let io = matches!(storage, Storage::In | Storage::Out)
                && matches!(self.dialect.stage, Stage::Geometry | Stage::TessControl | Stage::TessEvaluation);
            if !io {
                self.error(tokens, "unsized-array", format!("`{text}` needs an array size"));
            }
        }
        if self.has_inner_unsized(ty) {
            self.error(tokens, "unsized-array", "only the outermost dimension of an array may be left open");
        }
    }

    pub(super) fn has_inner_unsized(&self, ty: Type) -> bool {
        let mut at = self.out.types.as_array(ty).map(|a| a.element);
        while let Some(element) = at {
            let Some(array) = self.out.types.as_array(element) else { return false };
            if array.size.is_none() {
                return true;
            }
            at = Some(array.element);
        }
        false
    }

    fn is_counter(&self, ty: Type) -> bool {
        matches!(self.innermost(ty), Type::Opaque(o) if o.kind == OpaqueKind::AtomicUint)
    }

    /// Memory qualifiers are for images and buffers.
    fn check_memory_words(&mut self, gathered: &Gathered<'_>, ty: Type, tokens: TokenSpan) {
        let image = matches!(self.innermost(ty), Type::Opaque(o) if o.kind == OpaqueKind::Image);
        let words = [Keyword::Coherent, Keyword::Volatile, Keyword::Restrict, Keyword::Readonly, Keyword::Writeonly];
        for word in words {
            if let Some(place) = gathered.place_of(word).filter(|_| !image) {
                let name = word.name();
                self.error(place, "memory-qualifier", format!("`{name}` is for images and buffers"));
            }
        }
        if image && gathered.q.storage == Storage::Uniform {
            let bare = !gathered.layout.iter().any(|a| crate::builtin::image_format(a.name.symbol).is_some());
            let formatted = self.has("GL_EXT_shader_image_load_formatted");
            if bare && self.is_es() {
                self.error(tokens, "image-format", "an image needs a format, such as `layout(rgba8)`");
            } else if bare && !gathered.q.flags.writeonly && !formatted {
                self.error(tokens, "image-format", "an image without a format must be `writeonly`");
            } else if self.is_es() && !gathered.q.flags.readonly && !gathered.q.flags.writeonly {
                // GLSL ES 3.10, 4.9: only these formats can be both read and written.
                let both = |a: &crate::ast::LayoutArg| matches!(self.name(a.name.symbol), "r32f" | "r32i" | "r32ui");
                if !gathered.layout.iter().any(both) {
                    self.error(
                        tokens,
                        "image-format",
                        "an image of this format must be `readonly` or `writeonly` in GLSL ES",
                    );
                }
            }
        }
    }

    fn check_io(&mut self, gathered: &Gathered<'_>, ty: Type, tokens: TokenSpan, text: &str) {
        let stage = self.dialect.stage;
        let storage = gathered.q.storage;
        let facts = self.type_facts(ty);
        let element = self.innermost(ty);
        let is_struct = matches!(element, Type::Struct(_));
        let array = self.out.types.as_array(ty).is_some();
        let mut problem: Option<String> = None;
        if facts.boolean {
            problem = Some(format!("`{text}`: inputs and outputs cannot be `bool`"));
        }
        match (stage, storage) {
            (Stage::Vertex, Storage::In) => {
                if is_struct {
                    problem = Some(format!("`{text}`: inputs of a vertex shader cannot be structures"));
                } else if array && !(self.at_least(150, 0) || gathered.legacy && self.at_least(150, 0)) {
                    let version = self.dialect.version;
                    problem = Some(format!("`{text}`: inputs of a vertex shader cannot be arrays in {version}"));
                } else if gathered.legacy && facts.integer && !self.has("GL_EXT_gpu_shader4") && !self.at_least(130, 0)
                {
                    problem = Some(format!("`{text}`: attributes cannot be `{}`", self.type_name(ty)));
                } else if facts.double && !self.at_least(410, 0) && !self.has("GL_ARB_vertex_attrib_64bit") {
                    problem = Some(format!("`{text}`: inputs cannot be `{}` here", self.type_name(ty)));
                }
            }
            (Stage::Fragment, Storage::Out | Storage::InOut) => {
                if facts.opaque {
                    problem =
                        Some(format!("`{text}`: outputs of a fragment shader cannot be `{}`", self.type_name(ty)));
                } else if is_struct {
                    problem = Some(format!("`{text}`: outputs of a fragment shader cannot be structures"));
                } else if matches!(element, Type::Matrix(..)) {
                    problem = Some(format!("`{text}`: outputs of a fragment shader cannot be matrices"));
                } else if facts.double {
                    problem = Some(format!("`{text}`: outputs of a fragment shader cannot be `double`"));
                } else if self.is_es()
                    && self.out.types.as_array(ty).is_some_and(|a| self.out.types.as_array(a.element).is_some())
                {
                    problem = Some(format!("`{text}`: outputs of a fragment shader cannot be arrays of arrays"));
                }
            }
            _ => {
                if is_struct && !self.at_least(150, 300) {
                    let version = self.dialect.version;
                    problem = Some(format!("`{text}`: structures cannot be passed between stages in {version}"));
                } else if gathered.legacy && facts.integer && !self.has("GL_EXT_gpu_shader4") {
                    problem = Some(format!("`{text}`: varyings cannot be `{}`", self.type_name(ty)));
                } else {
                    self.check_between_stages(gathered, ty, tokens, text);
                }
            }
        }
        if let Some(problem) = problem {
            self.error(tokens, "interface-type", problem);
        }
    }

    /// Variables that are passed between stages.
    fn check_between_stages(&mut self, gathered: &Gathered<'_>, ty: Type, tokens: TokenSpan, text: &str) {
        let stage = self.dialect.stage;
        let storage = gathered.q.storage;
        let facts = self.type_facts(ty);
        let flat = gathered.q.interpolation == Some(Interpolation::Flat);
        let handle = facts.opaque;
        if storage == Storage::In && stage == Stage::Fragment && !flat {
            // GLSL 4.60, 4.3.4: integers and doubles are not interpolated.
            if facts.integer && (self.at_least(130, 300) || self.has("GL_EXT_gpu_shader4")) || facts.double || handle {
                self.error(
                    tokens,
                    "flat",
                    format!("`{text}`: integer and double inputs of a fragment shader must be `flat`"),
                );
            }
        }
        // GLSL ES 3.00, 4.3.6: so must the outputs of the previous stage; ES 3.10 leaves it to the fragment shader.
        if storage == Storage::Out
            && stage == Stage::Vertex
            && self.is_es()
            && !flat
            && facts.integer
            && self.dialect.version.number == 300
        {
            self.error(tokens, "flat", format!("`{text}`: integer outputs of a vertex shader must be `flat`"));
        }
        // GLSL ES 3.00, 4.3.4 and 4.3.6; from 3.20 on for the outputs of every stage.
        if self.is_es() && (stage == Stage::Fragment || storage == Storage::Out) {
            // The outer array of these counts vertices.
            let per_vertex = stage == Stage::TessControl && !gathered.q.flags.patch;
            let each = self.out.types.as_array(ty).filter(|_| per_vertex).map_or(ty, |array| array.element);
            let array_of_struct = self.out.types.as_array(each).is_some_and(|a| {
                matches!(self.innermost(a.element), Type::Struct(_)) || self.contains_array(a.element)
            });
            let bad = match each {
                Type::Struct(id) => {
                    let fields = &self.out.types.structs[id.0 as usize].fields;
                    fields.iter().any(|f| matches!(f.ty, Type::Struct(_) | Type::Array(_)))
                }
                _ => false,
            };
            if array_of_struct && self.at_least(0, 300) {
                self.error(
                    tokens,
                    "interface-type",
                    format!("`{text}`: no arrays of structures or arrays between stages"),
                );
            } else if bad && self.at_least(0, 300) {
                self.error(
                    tokens,
                    "interface-type",
                    format!("`{text}`: a structure between stages cannot hold arrays or structures"),
                );
            }
        }
        let needs_array = match (stage, storage) {
            (Stage::Geometry, Storage::In) | (Stage::TessControl, Storage::In) => true,
            (Stage::TessControl, Storage::Out) | (Stage::TessEvaluation, Storage::In) => !gathered.q.flags.patch,
            _ => false,
        };
        if needs_array && self.out.types.as_array(ty).is_none() {
            let (stage, what) = (stage.name(), if storage == Storage::In { "inputs" } else { "outputs" });
            self.error(
                tokens,
                "interface-array",
                format!("`{text}`: {what} of a {stage} shader are arrays, one element for each vertex"),
            );
        } else if needs_array {
            self.check_vertex_count(ty, storage, tokens, text);
        }
    }

    /// Checks layout values against the type they apply to.
    pub(super) fn check_variable_layout(&mut self, q: &Qualifiers, on: On, ty: Type, name: Name, tokens: TokenSpan) {
        if q.layout == Layout::default() || ty == Type::Error {
            if on == On::COUNTER {
                self.place_counter(q, ty, name, tokens);
            }
            return;
        }
        let text = self.name(name.symbol);
        let layout = q.layout;
        if layout.index.is_some() && layout.location.is_none() && on == On::FRAGMENT_OUT {
            self.error(tokens, "layout", "`index` needs a `location`");
        }
        if layout.index.is_some() && on == On::SUBROUTINE {
            self.error(tokens, "layout", "`index` is for subroutine functions, a uniform has a `location`");
        }
        if let Some(index) = layout.index.filter(|_| on == On::FRAGMENT_OUT)
            && index > 1
        {
            self.error(tokens, "layout", format!("`index` is 0 or 1, not {index}"));
        }
        if on == On::COUNTER {
            self.place_counter(q, ty, name, tokens);
        }
        if let Some(binding) = layout.binding {
            self.check_binding(binding, on, ty, tokens, text);
        }
        if let Some(component) = layout.component {
            self.check_component(layout, component, ty, tokens, text);
        }
        if let Some(location) = layout.location {
            self.check_location(location, on, ty, tokens, text);
        }
        self.check_xfb_layout(&layout, ty, tokens);
        if let Some(stream) = layout.stream {
            self.check_stream(stream, tokens);
        }
        if let (Some(format), Type::Opaque(opaque)) = (layout.format, self.innermost(ty)) {
            let row = crate::builtin::image_formats()[format as usize];
            if row.scalar != opaque.texel {
                let (format, image) = (self.name(row.name), self.type_name(Type::Opaque(opaque)));
                self.error(tokens, "image-format", format!("format `{format}` does not fit `{image}`"));
            }
        }
    }

    pub(super) fn check_stream(&mut self, stream: u32, tokens: TokenSpan) {
        if stream >= 4 {
            self.error(tokens, "layout", format!("`stream` must be less than 4, this is {stream}"));
        }
    }

    fn array_elements(&self, ty: Type) -> u32 {
        let mut count: u32 = 1;
        let mut at = ty;
        while let Some(array) = self.out.types.as_array(at) {
            count = count.saturating_mul(array.size.unwrap_or(1));
            at = array.element;
        }
        count
    }

    pub(super) fn check_binding(&mut self, binding: u32, on: On, ty: Type, tokens: TokenSpan, text: &str) {
        let (limit, what) = match on {
            On::SAMPLER => (self.limit("gl_MaxCombinedTextureImageUnits").unwrap_or(192), "texture units"),
            On::IMAGE => (self.limit("gl_MaxImageUnits").unwrap_or(64), "image units"),
            On::UNIFORM_BLOCK => (84, "uniform buffer bindings"),
            On::BUFFER_BLOCK => (96, "storage buffer bindings"),
            On::COUNTER => (self.limit("gl_MaxAtomicCounterBindings").unwrap_or(8), "counter bindings"),
            _ => return,
        };
        let count = if on == On::COUNTER { 1 } else { self.array_elements(ty) };
        if u64::from(binding) + u64::from(count) > u64::from(limit) {
            self.error(
                tokens,
                "layout",
                format!("`{text}`: binding {binding} with {count} elements: there are {limit} {what}"),
            );
        }
    }

    fn check_component(&mut self, layout: Layout, component: u32, ty: Type, tokens: TokenSpan, text: &str) {
        let element = self.innermost(ty);
        if layout.location.is_none() {
            self.error(tokens, "layout", format!("`{text}`: `component` needs a `location`"));
        }
        if component > 3 {
            self.error(tokens, "layout", format!("`{text}`: `component` is 0 to 3, not {component}"));
            return;
        }
        if matches!(element, Type::Matrix(..) | Type::Struct(_)) {
            self.error(tokens, "layout", format!("`{text}`: `component` is not for matrices, structures or blocks"));
            return;
        }
        let wide = element.scalar().is_some_and(Scalar::is_64_bit);
        let width = element.components() * if wide { 2 } else { 1 };
        if wide && component % 2 == 1 {
            self.error(tokens, "layout", format!("`{text}`: a double cannot begin at an odd component"));
        }
        if wide && element.components() > 2 {
            let name = self.type_name(element);
            self.error(
                tokens,
                "layout",
                format!("`{text}`: `component` is not for `{name}`, which fills its locations"),
            );
        } else if component + width > 4 {
            self.error(
                tokens,
                "layout",
                format!("`{text}` does not fit into its location behind component {component}"),
            );
        }
    }

    /// Uniform locations have a separate limit; those of inputs and outputs are counted by the linker, except that
    /// browsers count the outputs of a fragment shader when they compile it.
    fn check_location(&mut self, location: u32, on: On, ty: Type, tokens: TokenSpan, text: &str) {
        let (limit, used) = match on {
            On::UNIFORM | On::SAMPLER | On::IMAGE | On::SUBROUTINE => (65536, 1),
            On::FRAGMENT_OUT if self.options.webgl => {
                (self.limit("gl_MaxDrawBuffers").unwrap_or(8), self.array_elements(ty))
            }
            _ => return,
        };
        if u64::from(location) + u64::from(used) > u64::from(limit) {
            self.error(tokens, "layout", format!("`{text}`: location {location} is too high: there are {limit}"));
        }
    }

    pub(super) fn check_xfb_layout(&mut self, layout: &Layout, ty: Type, tokens: TokenSpan) {
        let wide = self.type_facts(ty).double;
        if let Some(offset) = layout.xfb_offset {
            let unit = if wide { 8 } else { 4 };
            if offset % unit != 0 {
                self.error(tokens, "layout", format!("`xfb_offset` {offset} is not a multiple of {unit}"));
            }
        }
        if layout.xfb_offset.is_some() && self.out.types.as_array(ty).is_some_and(|a| a.size.is_none()) {
            self.error(tokens, "layout", "`xfb_offset` is not for arrays without a size");
        }
        if let Some(stride) = layout.xfb_stride {
            let buffer = layout.xfb_buffer.unwrap_or(self.defaults.xfb_buffer);
            let earlier = self.out.stage.xfb_strides.iter().find(|s| s.0 == buffer).map(|s| s.1);
            match earlier {
                None => self.out.stage.xfb_strides.push((buffer, stride)),
                Some(earlier) if earlier != stride => {
                    let message = format!("`xfb_stride` of buffer {buffer} is {stride} here and was {earlier} before");
                    self.error(tokens, "layout", message);
                }
                Some(_) => {}
            }
            let unit = if wide { 8 } else { 4 };
            if stride % unit != 0 {
                self.error(tokens, "layout", format!("`xfb_stride` {stride} is not a multiple of {unit}"));
            }
            if stride > 512 {
                self.error(tokens, "layout", format!("`xfb_stride` {stride} is greater than the limit of 512"));
            }
        }
        if let Some(buffer) = layout.xfb_buffer.filter(|&b| b >= 4) {
            self.error(tokens, "layout", format!("`xfb_buffer` must be less than 4, this is {buffer}"));
        }
    }

    // ---- atomic counters ----

    pub(super) fn counter_default(&mut self, layout: Layout, tokens: TokenSpan) {
        let binding = layout.binding.or(self.defaults.counter_binding).unwrap_or(0);
        if layout.binding.is_some() {
            self.check_binding(binding, On::COUNTER, Type::Error, tokens, "atomic_uint");
        }
        self.defaults.counter_binding = Some(binding);
        if let Some(offset) = layout.offset {
            if offset % 4 != 0 {
                self.error(tokens, "layout", format!("a counter's offset is a multiple of 4, not {offset}"));
            }
            self.set_counter_offset(binding, offset);
        }
    }

    fn set_counter_offset(&mut self, binding: u32, offset: u32) {
        match self.defaults.counter_offsets.iter_mut().find(|c| c.0 == binding) {
            Some(row) => row.1 = offset,
            None => self.defaults.counter_offsets.push((binding, offset)),
        }
    }

    /// Counters are consecutive in their buffer (GLSL 4.60, 4.4.7).
    fn place_counter(&mut self, q: &Qualifiers, ty: Type, name: Name, tokens: TokenSpan) {
        let Some(binding) = q.layout.binding else {
            let text = self.name(name.symbol);
            self.error(tokens, "layout", format!("counter `{text}` needs a `binding`"));
            return;
        };
        let next = self.defaults.counter_offsets.iter().find(|c| c.0 == binding).map_or(0, |c| c.1);
        let offset = q.layout.offset.unwrap_or(next);
        if !offset.is_multiple_of(4) {
            self.error(tokens, "layout", format!("a counter's offset is a multiple of 4, not {offset}"));
        }
        let size = self.array_elements(ty).saturating_mul(4);
        let end = offset.saturating_add(size);
        let clash = self.notes.counters.iter().find(|c| c.0 == binding && c.1 < end && offset < c.2).copied();
        if let Some((_, _, _, other)) = clash {
            let text = self.name(name.symbol);
            let error = self
                .error_at(tokens, "layout", format!("counter `{text}` overlaps another one at offset {offset}"))
                .label(self.token_span(other), "this one");
            self.report(error);
        }
        self.notes.counters.push((binding, offset, end, name.token));
        self.set_counter_offset(binding, end);
    }
}
