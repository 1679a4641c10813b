//! The texture reads of a statement.

use emulator::host::Host as _;
use emulator::observe::TexelLog;
use emulator::wave::{Engine as _, Flow, Observer, WaveState};
use lanes::Mask;
use moment::{Marker, SiteId};
use texture::{Texel, TexelAddress};

use super::Run;

/// Blocks after which a statement counts as endless.
const BLOCKS: u64 = 1 << 24;

/// A look-up that a statement makes.
#[derive(Clone, PartialEq, Debug)]
pub struct LookedUp {
    pub site: Option<SiteId>,
    pub handle: u32,
    /// Each with what it holds; the largest share first.
    pub texels: Vec<(Texel, Option<[f64; 4]>)>,
}

impl<const W: usize> Run<W> {
    /// What the statement that the followed lane is at reads, calls that it makes included: found out on a copy.
    pub(super) fn looked_up(&self) -> Vec<LookedUp> {
        let lane = self.travel.lane().lane;
        let (mut wave, mut world) = (self.travel.wave().clone(), self.travel.host().clone());
        let mut watch = (TexelLog::new(1 << lane), Until { lane, calls: 0, over: false });
        // A barrier is waited for in vain, and ends it.
        self.travel.engine().run(&mut wave, &mut world, &mut watch, &mut BLOCKS.clone());
        let value = |handle: u32, texel: &Texel| {
            let Texel { level, layer, x, y, z, sample, .. } = *texel;
            let (texture, _) = self.travel.host().texture(handle)?;
            let value = texture.load(TexelAddress { level, layer, x, y, z, sample })?;
            Some(match value {
                texture::Value::Float(all) => all.map(f64::from),
                texture::Value::Int(all) => all.map(f64::from),
                texture::Value::Uint(all) => all.map(f64::from),
            })
        };
        let read = |record: &emulator::observe::LookedUp| {
            let mut texels: Vec<_> = record.texels.iter().map(|texel| (*texel, value(record.handle, texel))).collect();
            texels.sort_by(|a, b| b.0.weight.total_cmp(&a.0.weight));
            LookedUp { site: record.site, handle: record.handle, texels }
        };
        watch.0.records().iter().map(read).collect()
    }
}

/// Pauses where a lane comes to its next stop in the function it is in, or in one around it.
struct Until {
    lane: usize,
    calls: i32,
    over: bool,
}

impl<const W: usize> Observer<W> for Until {
    fn marker(&mut self, _: &WaveState<W>, marker: Marker, mask: &Mask<W>) -> Flow {
        if mask.bits() >> self.lane & 1 == 1 {
            match marker {
                Marker::Enter(_) => self.calls += 1,
                Marker::Leave => self.calls -= 1,
                stop if stop.is_stop() => self.over |= self.calls <= 0,
                _ => {}
            }
        }
        if self.over { Flow::Pause } else { Flow::Continue }
    }
}
