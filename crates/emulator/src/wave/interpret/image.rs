//! Image accesses.

use lanes::Mask;
use texture::Value;

use super::super::{Fault, Observer, WaveState};
use super::Watched;
use super::step::on;
use super::texture::words;
use crate::host::Host;
use crate::ir::{ImageAccess, ImageOp, Register, ScalarKind};

impl<const W: usize> WaveState<W> {
    pub(super) fn image<const ON: bool>(
        &mut self,
        op: &ImageOp,
        mask: &Mask<W>,
        writers: &Mask<W>,
        host: &mut dyn Host,
        watched: &mut Watched<'_, W, ON>,
    ) {
        if watched.wants_instructions() {
            let users = if matches!(op.access, ImageAccess::Load(_)) { mask } else { writers };
            on(users).for_each(|lane| self.look_for_texel(op, lane, host, watched.observer));
        }
        match op.access {
            ImageAccess::Load(to) => {
                let mut results = [[0u32; W]; 4];
                for lane in on(mask) {
                    let words = self.load_texel(op, lane, host);
                    (0..4).for_each(|i| results[i][lane] = words[i]);
                }
                for (register, value) in to.iter().zip(&results) {
                    self.assign(register, value, mask);
                }
            }
            ImageAccess::Store(from) => {
                for lane in on(writers) {
                    let words = from.map(|r| self.registers[r.0 as usize][lane]);
                    let value = match op.image.texel {
                        ScalarKind::Int => Value::Int(words.map(|word| word as i32)),
                        ScalarKind::Uint => Value::Uint(words),
                        _ => Value::Float(words.map(f32::from_bits)),
                    };
                    let (handle, texel, sample) = self.image_place(op, lane);
                    let Some((texture, image)) = host.image(handle) else { continue };
                    if let Some(place) = image.address(texture, texel, sample) {
                        texture.store_as(image.format, place, value);
                    }
                }
            }
            ImageAccess::Atomic(to, operation, operands) => {
                let mut before = [0; W];
                for lane in on(writers) {
                    let [value, compare] = operands.map(|r| self.registers[r.0 as usize][lane]);
                    let (handle, texel, sample) = self.image_place(op, lane);
                    let Some((texture, image)) = host.image(handle) else { continue };
                    let Some(place) = image.address(texture, texel, sample) else { continue };
                    let old = texture.update_word(place, |word| operation.apply(word, value, compare));
                    before[lane] = old.unwrap_or(0);
                }
                self.assign(to, &before, mask);
            }
        }
    }

    /// Tells an observer if a lane's texel does not exist.
    fn look_for_texel(&self, op: &ImageOp, lane: usize, host: &mut dyn Host, observer: &mut dyn Observer<W>) {
        let (handle, texel, sample) = self.image_place(op, lane);
        match host.image(handle) {
            None => observer.fault(self, lane, Fault::Unbound),
            Some((texture, image)) if image.address(texture, texel, sample).is_none() => {
                let size = image.size(texture);
                observer.fault(self, lane, Fault::Texel { texel, size });
            }
            Some(_) => {}
        }
    }

    fn load_texel(&self, op: &ImageOp, lane: usize, host: &mut dyn Host) -> [u32; 4] {
        let (handle, texel, sample) = self.image_place(op, lane);
        let Some((texture, image)) = host.image(handle) else { return [0; 4] };
        let loaded = image.address(texture, texel, sample).and_then(|place| texture.load_as(image.format, place));
        loaded.map_or([0; 4], |value| words(value, op.image.texel))
    }

    /// Returns the image's handle, the coordinate and the sample, in a lane.
    fn image_place(&self, op: &ImageOp, lane: usize) -> (u32, [i32; 3], i32) {
        let word = |register: Register| self.registers[register.0 as usize][lane];
        let mut texel = [0; 3];
        for (to, register) in texel.iter_mut().zip(&op.coords) {
            *to = word(*register) as i32;
        }
        (word(op.handle), texel, op.sample.map_or(0, |register| word(register) as i32))
    }
}
