//! Texture look-ups.

use lanes::Mask;
use texture::{Dim, Filtering, Lod, Texel, TexelSink, Texture, Unit, Value};

use super::super::{Fault, WaveState};
use super::Watched;
use super::step::{derivative, on};
use crate::host::Host;
use crate::ir::{Axis, Detail, Lookup, LookupId, LookupKind, Query, Register, Registers, ScalarKind};

/// Reports each texel to the observer; does nothing if it does not want texels.
struct Sink<'a, 'o, const W: usize, const ON: bool> {
    watched: &'a mut Watched<'o, W, ON>,
    lookup: LookupId,
    handle: u32,
    lane: usize,
}

impl<const W: usize, const ON: bool> TexelSink for Sink<'_, '_, W, ON> {
    fn texel(&mut self, texel: Texel) {
        if self.watched.wants_texels() {
            self.watched.observer.texel(self.lookup, self.handle, self.lane, texel);
        }
    }
}

impl<const W: usize> WaveState<W> {
    pub(super) fn lookup<const ON: bool>(
        &mut self,
        look: &Lookup,
        id: LookupId,
        mask: &Mask<W>,
        host: &mut dyn Host,
        watched: &mut Watched<'_, W, ON>,
    ) {
        let mut results = [[0u32; W]; 4];
        // Derivatives use all lanes of a quad, discarded ones too.
        let axes = coordinate_axes(look);
        let implicit = matches!(look.detail, Detail::Implicit(_));
        let slopes: Vec<[[u32; W]; 2]> = if implicit {
            let coords = look.coords.iter().take(axes).map(|r| &self.registers[r.0 as usize]);
            coords.map(|value| [derivative(Axis::X, value), derivative(Axis::Y, value)]).collect()
        } else {
            Vec::new()
        };
        let host = &*host;
        // Most often all lanes sample the same texture, and its completeness is checked once.
        let mut last: Option<(u32, Option<Unit<'_>>)> = None;
        for lane in on(mask) {
            let handle = self.registers[look.handle.0 as usize][lane];
            let unit = match last {
                Some((known, unit)) if known == handle => unit,
                _ => host.texture(handle).map(|(texture, sampler)| Unit::new(texture, sampler)),
            };
            last = Some((handle, unit));
            let value = match unit {
                Some(unit) => {
                    let mut sink = Sink { watched, lookup: id, handle, lane };
                    if look.kind == LookupKind::Fetch {
                        match self.fetch(look, unit.texture(), lane, &mut sink) {
                            Some(value) => value,
                            None => {
                                let fault = self.missing_texel(look, unit.texture(), lane);
                                watched.observer.fault(self, lane, fault);
                                Value::Uint([0; 4])
                            }
                        }
                    } else {
                        self.sample(look, &unit, lane, &slopes, &mut sink)
                    }
                }
                None => {
                    watched.observer.fault(self, lane, Fault::Unbound);
                    Value::Float([0.0, 0.0, 0.0, if look.kind == LookupKind::Fetch { 0.0 } else { 1.0 }])
                }
            };
            let words = words(value, look.sampler.texel);
            (0..4).for_each(|i| results[i][lane] = words[i]);
        }
        for (register, value) in look.to.iter().zip(&results) {
            self.assign(register, value, mask);
        }
        if let Some(residency) = look.residency {
            // All texels are resident.
            self.assign(residency, &[1; W], mask);
        }
    }

    fn word(&self, register: Register, lane: usize) -> u32 {
        self.registers[register.0 as usize][lane]
    }

    fn float(&self, register: Register, lane: usize) -> f32 {
        f32::from_bits(self.word(register, lane))
    }

    fn offset(&self, registers: &[Register], lane: usize) -> [i32; 3] {
        let mut offset = [0; 3];
        for (to, register) in offset.iter_mut().zip(registers) {
            *to = self.word(*register, lane) as i32;
        }
        offset
    }

    fn fetch(&self, look: &Lookup, texture: &Texture, lane: usize, sink: &mut impl TexelSink) -> Option<Value> {
        let mut texel = [0; 3];
        for (to, register) in texel.iter_mut().zip(&look.coords) {
            *to = self.word(*register, lane) as i32;
        }
        let lod = match look.detail {
            Detail::Level(register) => self.word(register, lane) as i32,
            _ => 0,
        };
        let sample = look.sample.map_or(0, |register| self.word(register, lane) as i32);
        let offset = self.offset(&look.offset, lane);
        texture.fetch(texel, offset, lod, sample, sink)
    }

    fn missing_texel(&self, look: &Lookup, texture: &Texture, lane: usize) -> Fault {
        let lod = match look.detail {
            Detail::Level(register) => self.word(register, lane) as i32,
            _ => 0,
        };
        let offset = self.offset(&look.offset, lane);
        let mut texel = self.offset(&look.coords, lane);
        texel.iter_mut().zip(offset).for_each(|(at, by)| *at = at.wrapping_add(by));
        Fault::Texel { texel, size: texture.size(lod) }
    }

    fn sample(
        &self,
        look: &Lookup,
        unit: &Unit<'_>,
        lane: usize,
        slopes: &[[[u32; W]; 2]],
        sink: &mut impl TexelSink,
    ) -> Value {
        let mut request = texture::Lookup::default();
        for (to, register) in request.coords.iter_mut().zip(&look.coords) {
            *to = self.float(*register, lane);
        }
        request.reference = look.reference.map(|register| self.float(register, lane));
        request.min_lod = look.min_lod.map(|register| self.float(register, lane));
        request.lod = match &look.detail {
            Detail::Base => Lod::Explicit(0.0),
            Detail::Level(register) => Lod::Explicit(self.float(*register, lane)),
            Detail::Implicit(bias) => {
                // llvmpipe takes the level of detail of a quad's first pixel for all of it, cube maps aside.
                let of = match unit.sampler().filtering {
                    Filtering::Llvmpipe { flipped, .. } if unit.texture().dim != Dim::Cube => {
                        lane & !3 | usize::from(flipped) << 1
                    }
                    _ => lane,
                };
                let slope = |axis: usize| {
                    let mut made = [0.0; 3];
                    made.iter_mut().zip(slopes).for_each(|(to, slope)| *to = f32::from_bits(slope[axis][of]));
                    made
                };
                let bias = bias.map(|register| self.float(register, lane));
                Lod::Derivatives { dx: slope(0), dy: slope(1), bias }
            }
            Detail::Gradient(along_x, along_y) => {
                let slope = |registers: &[Register]| {
                    let mut made = [0.0; 3];
                    made.iter_mut().zip(registers).for_each(|(to, register)| *to = self.float(*register, lane));
                    made
                };
                Lod::Gradient { dx: slope(along_x), dy: slope(along_y) }
            }
        };
        request.quad = self.quad(look, unit, lane);
        match look.kind {
            LookupKind::Gather(component) => {
                let component = self.word(component, lane).min(3) as u8;
                if look.offset.len() == 8 {
                    let offsets = std::array::from_fn(|i| {
                        let [x, y, _] = self.offset(&look.offset[2 * i..2 * i + 2], lane);
                        [x, y]
                    });
                    return unit.gather_offsets(&request, component, offsets, sink);
                }
                request.offset = self.offset(&look.offset, lane);
                unit.gather(&request, component, sink)
            }
            LookupKind::QueryLod => {
                let found = unit.query_lod(&request);
                Value::Float([found.level, found.lod, 0.0, 0.0])
            }
            LookupKind::Sample | LookupKind::Fetch => {
                request.offset = self.offset(&look.offset, lane);
                unit.sample(&request, sink)
            }
        }
    }

    /// The coordinates of the quad's pixels, for llvmpipe's anisotropic filters and cube maps; its first row is the upper
    /// one on surfaces.
    fn quad(&self, look: &Lookup, unit: &Unit<'_>, lane: usize) -> Option<[[f32; 3]; 3]> {
        let Filtering::Llvmpipe { flipped, .. } = unit.sampler().filtering else { return None };
        if unit.sampler().max_anisotropy <= 1.0 && unit.texture().dim != Dim::Cube {
            return None;
        }
        let first = lane & !3 | usize::from(flipped) << 1;
        Some([first, first ^ 1, first ^ 2].map(|lane| {
            let mut coordinates = [0.0; 3];
            let registers = look.coords.iter().take(coordinate_axes(look));
            coordinates.iter_mut().zip(registers).for_each(|(to, register)| *to = self.float(*register, lane));
            coordinates
        }))
    }

    pub(super) fn query(
        &mut self,
        query: Query,
        to: Registers,
        handle: Register,
        operand: Register,
        mask: &Mask<W>,
        host: &mut dyn Host,
    ) {
        let mut results = [[0u32; W]; 3];
        for lane in on(mask) {
            let (handle, operand) = (self.word(handle, lane), self.word(operand, lane));
            let found = match query {
                Query::TextureSize => host.texture(handle).map(|(texture, _)| texture.size(operand as i32)),
                Query::Levels => host.texture(handle).map(|(t, sampler)| [Unit::new(t, sampler).levels(), 0, 0]),
                Query::TextureSamples => host.texture(handle).map(|(texture, _)| [texture.samples(), 0, 0]),
                Query::ImageSize => host.image(handle).map(|(texture, image)| image.size(texture)),
                Query::ImageSamples => host.image(handle).map(|(texture, _)| [texture.samples(), 0, 0]),
            };
            let found = found.unwrap_or_default();
            (0..3).for_each(|i| results[i][lane] = found[i] as u32);
        }
        for (register, value) in to.iter().zip(&results) {
            self.assign(register, value, mask);
        }
    }
}

/// Returns the number of coordinates that have derivatives: all but the layer.
fn coordinate_axes(look: &Lookup) -> usize {
    let layer = look.sampler.array && look.kind != LookupKind::QueryLod;
    look.coords.len() - usize::from(layer)
}

/// Returns the components in the type that the sampler gives.
pub(super) fn words(value: Value, texel: ScalarKind) -> [u32; 4] {
    match texel {
        ScalarKind::Int => value.int().map(|c| c as u32),
        ScalarKind::Uint => value.uint(),
        ScalarKind::Float | ScalarKind::Bool => value.float().map(f32::to_bits),
    }
}
