//! Implementation limits (GL 4.6, 7.6, 11.1, 23).

use super::linker::Linker;
use super::packing::Pieces;
use super::{Declared, Uniform};
use crate::layout;
use crate::qualifier::Storage;
use crate::types::OpaqueKind;
use crate::version::Stage;

/// The part of a limit's name that depends on the stage: `gl_MaxVertexUniformComponents`.
fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "Vertex",
        Stage::TessControl => "TessControl",
        Stage::TessEvaluation => "TessEvaluation",
        Stage::Geometry => "Geometry",
        Stage::Fragment => "Fragment",
        Stage::Compute => "Compute",
    }
}

/// The uniforms of one stage, counted.
#[derive(Clone, Copy, Default)]
struct Count {
    samplers: u64,
    images: u64,
    counters: u64,
    components: u64,
}

impl Count {
    fn add(&mut self, other: Count) {
        self.samplers += other.samplers;
        self.images += other.images;
        self.counters += other.counters;
        self.components += other.components;
    }
}

impl Linker<'_> {
    pub(super) fn check_limits(&mut self) {
        let mut sum = Count::default();
        for index in 0..self.stages.len() {
            let stage = self.stages[index].stage;
            let mut count = Count::default();
            for uniform in self.out.uniforms.iter().filter(|u| u.stages & stage.bit() != 0) {
                count.add(self.uniform_size(uniform));
            }
            sum.add(count);
            let name = word(stage);
            let units = match stage {
                Stage::Fragment => "gl_MaxTextureImageUnits".to_owned(),
                _ => format!("gl_Max{name}TextureImageUnits"),
            };
            let shader = self.stages[index].units[0];
            self.check_limit(Some(shader), &units, count.samplers, "samplers");
            self.check_limit(Some(shader), &format!("gl_Max{name}ImageUniforms"), count.images, "images");
            self.check_limit(Some(shader), &format!("gl_Max{name}AtomicCounters"), count.counters, "counters");
            let components = format!("gl_Max{name}UniformComponents");
            self.check_limit(Some(shader), &components, count.components, "components of uniforms");
            if self.is_es() {
                let limit = format!("gl_Max{name}UniformVectors");
                // However they are packed, a vector holds four components at most.
                if !self.check_limit(Some(shader), &limit, count.components.div_ceil(4), "vectors of uniforms") {
                    let used = self.out.uniforms.iter().filter(|u| u.stages & stage.bit() != 0);
                    let used = used.map(|u| (u.declared[0], u.array_size));
                    self.check_packing(shader, &limit, used.collect(), "uniforms");
                }
            }
        }
        self.check_limit(None, "gl_MaxCombinedTextureImageUnits", sum.samplers, "samplers");
        self.check_limit(None, "gl_MaxCombinedImageUniforms", sum.images, "images");
        self.check_limit(None, "gl_MaxCombinedAtomicCounters", sum.counters, "counters");
        self.check_attributes();
        self.check_varying_sizes();
        self.check_distances();
    }

    fn uniform_size(&self, uniform: &Uniform) -> Count {
        let at = uniform.declared[0];
        let types = self.types(at.shader);
        let ty = self.variable(at).ty;
        let (element, outer) = match types.as_array(ty) {
            Some(array) => (array.element, u64::from(uniform.array_size.unwrap_or(1))),
            None => (ty, 1),
        };
        let of_kind = |kind: OpaqueKind| {
            let leaf = |leaf: crate::types::Type| match leaf {
                crate::types::Type::Opaque(o) => Some(u64::from(o.kind == kind)),
                _ => Some(0),
            };
            crate::measure::measure(types, element, &leaf).unwrap_or(0).saturating_mul(outer)
        };
        let opaque = self.handle_kind(at).is_some();
        let components = if opaque { 0 } else { u64::from(layout::components_used(types, element).unwrap_or(0)) };
        Count {
            samplers: of_kind(OpaqueKind::Sampler),
            images: of_kind(OpaqueKind::Image),
            counters: of_kind(OpaqueKind::AtomicUint),
            components: components.saturating_mul(outer),
        }
    }

    /// Reports that variables, each with the size that the program gives it, do not fit into vectors (WebGL only).
    fn check_packing(&mut self, shader: usize, name: &str, variables: Vec<(Declared, Option<u32>)>, what: &str) {
        let Some(limit) = self.limit(name).filter(|_| self.options.webgl) else { return };
        let mut pieces = Pieces::new(limit);
        for (at, size) in variables {
            let (types, ty) = (self.types(at.shader), self.variable(at).ty);
            match (types.as_array(ty), size) {
                (Some(array), Some(size)) => pieces.add(types, array.element, u64::from(size)),
                _ => pieces.add(types, ty, 1),
            }
        }
        if !pieces.fit(limit) {
            let stage = self.stage_of(shader).name();
            let message = format!("the {what} of the {stage} shader cannot be packed into {limit} vectors (`{name}`)");
            let error = self.error_at(shader, None, "limit", message);
            self.report(shader, error);
        }
    }

    /// Returns whether the limit is exceeded.
    fn check_limit(&mut self, shader: Option<usize>, name: &str, count: u64, what: &str) -> bool {
        let Some(limit) = self.limit(name).filter(|&l| count > u64::from(l)) else { return false };
        let owner = shader.map_or("the program".to_owned(), |s| format!("the {} shader", self.stage_of(s).name()));
        let message = format!("{owner} uses {count} {what}, `{name}` is {limit}");
        let at = shader.unwrap_or(0);
        let error = self.error_at(at, None, "limit", message);
        self.report(at, error);
        true
    }

    fn check_attributes(&mut self) {
        if self.stages.first().is_none_or(|s| s.stage != Stage::Vertex) {
            return;
        }
        let used = self.out.inputs.iter().filter(|i| i.used);
        let count = used.map(|i| u64::from(i.locations)).sum();
        let shader = self.stages[0].units[0];
        let aliased = self.out.inputs.iter().any(|i| i.used && self.qualifiers(i.declared).layout.location.is_some());
        if !aliased {
            self.check_limit(Some(shader), "gl_MaxVertexAttribs", count, "attributes");
        }
    }

    /// Components that are passed between stages.
    fn check_varying_sizes(&mut self) {
        for index in 1..self.stages.len() {
            let (producer, consumer) = (self.stages[index - 1].stage, self.stages[index].stage);
            let mut count = 0u64;
            for varying in &self.out.varyings {
                let wanted = varying.consumer == consumer && varying.producer == producer && varying.member.is_none();
                if wanted && self.is_used(varying.input) {
                    let ty = self.per_vertex_element(varying.input);
                    count += u64::from(layout::components_used(self.types(varying.input.shader), ty).unwrap_or(0));
                }
            }
            let shader = self.stages[index].units[0];
            let name = match consumer {
                Stage::Fragment => "gl_MaxFragmentInputComponents".to_owned(),
                _ => format!("gl_Max{}InputComponents", word(consumer)),
            };
            self.check_limit(Some(shader), &name, count, "components of inputs");
            if self.is_es() && consumer == Stage::Fragment {
                let limit = "gl_MaxVaryingVectors";
                if !self.check_limit(Some(shader), limit, count.div_ceil(4), "vectors of varyings") {
                    let used = self.out.varyings.iter().filter(|v| v.consumer == consumer && self.is_used(v.input));
                    let used = used.map(|v| (v.input, None)).collect();
                    self.check_packing(shader, limit, used, "varyings");
                }
            }
        }
    }

    /// Clip and cull distances share one limit, and neither can be combined with `gl_ClipVertex` (GLSL 4.60, 7.1.1 and
    /// 7.1.7).
    fn check_distances(&mut self) {
        for index in 0..self.stages.len() {
            if matches!(self.stages[index].stage, Stage::Fragment | Stage::Compute) || self.before(130, 300) {
                continue;
            }
            let (clip, cull) = (self.distance(index, "gl_ClipDistance"), self.distance(index, "gl_CullDistance"));
            let vertex = self.writes(index, "gl_ClipVertex");
            for (name, found) in [("gl_ClipDistance", clip), ("gl_CullDistance", cull)] {
                if let (Some(at), Some((_, written))) = (vertex, found)
                    && self.variable(written).written
                {
                    let message = format!("`gl_ClipVertex` and `{name}` are both written");
                    self.conflict(at, written, "clip-outputs", message);
                }
            }
            if let (Some((a, _)), Some((b, at))) = (clip, cull) {
                let limit = self.limit("gl_MaxCombinedClipAndCullDistances").unwrap_or(8);
                if a.saturating_add(b) > limit {
                    let message = format!("{a} clip and {b} cull distances: together there are at most {limit}");
                    self.error_variable(at, "limit", message);
                }
            }
        }
    }

    fn distance(&self, index: usize, name: &str) -> Option<(u32, Declared)> {
        let found = self.named(index, name, Storage::Out).filter(|&at| self.variable(at).written);
        let size = |at: Declared| {
            let shape = self.shape(at);
            let array = self.types(at.shader).as_array(shape.ty);
            (array.and_then(|a| a.size).or(shape.implied).unwrap_or(0), at)
        };
        found.map(size).max()
    }
}
