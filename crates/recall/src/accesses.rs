//! What shaders read and write of memory, noted while they run.

use emulator::host::Space;
use emulator::ir::{Address, ImageAccess, ImageOp, Instruction, LookupId, Register, SiteId, Width};
use emulator::wave::{Interest, Observer, WaveState};
use lanes::Mask;
use pipeline::{DispatchObserver, GROUP};
use texture::Texel;

/// Lanes of a wave of a dispatch.
const LANES: usize = GROUP as usize;

/// One access of one invocation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Access {
    /// What was touched.
    pub aspect: Touched,
    /// The lane.
    pub lane: usize,
    /// The invocation, of dispatches.
    pub who: [u32; 3],
    /// Whether it was written; otherwise it was read.
    pub store: bool,
    /// The word that was written, if that is known before it is.
    pub word: Option<u32>,
    /// The texel that was written, if that is known before it is: words as the shader has them.
    pub texel: Option<[u32; 4]>,
}

/// What an access touches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Touched {
    /// A word of a block, or two: its slot, and the first byte there.
    Block(Space, u32, u32, u32),
    /// A texel of an image unit.
    Image(u32, [u32; 3], u32),
    /// A texture, by the sampler's value; which texels is told apart.
    Sampler(u32),
}

/// A list of the accesses that were asked for.
pub struct Accesses<'f> {
    wanted: &'f dyn Fn(&Access) -> bool,
    who: Vec<[u32; 3]>,
    /// In the order in which they were made.
    pub list: Vec<Access>,
    /// Texels of textures: whose, and by which sampler.
    pub texels: Vec<([u32; 3], u32, Texel)>,
}

impl<'f> Accesses<'f> {
    /// An empty list.
    pub fn new(wanted: &'f dyn Fn(&Access) -> bool) -> Accesses<'f> {
        Accesses { wanted, who: Vec::new(), list: Vec::new(), texels: Vec::new() }
    }

    /// Takes the number of its lane for who an invocation is.
    pub fn number_lanes(&mut self) {
        self.who = (0..64).map(|lane| [lane, 0, 0]).collect();
    }

    fn note(&mut self, aspect: Touched, lane: usize, store: bool, (word, texel): (Option<u32>, Option<[u32; 4]>)) {
        let who = self.who.get(lane).copied().unwrap_or_default();
        let access = Access { aspect, lane, who, store, word, texel };
        if (self.wanted)(&access) {
            self.list.push(access);
        }
    }
}

impl<const W: usize> Observer<W> for Accesses<'_> {
    fn interest(&self) -> Interest {
        Interest::ALL
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, _: Option<SiteId>, mask: &Mask<W>) {
        let (address, width, reads, word) = match instruction {
            Instruction::Read(access, _, address) => (address, access.width, true, None),
            Instruction::Write(width, address, from) => (address, *width, false, Some(*from)),
            Instruction::Atomic(_, _, address, _) => (address, Width::W32, true, None),
            Instruction::WideAtomic(_, _, address, _) => (address, Width::W64, true, None),
            Instruction::Image(id) => {
                let op = &wave.program().image_ops[id.0 as usize];
                return lanes(mask).for_each(|lane| self.image(wave, op, lane));
            }
            _ => return,
        };
        // What a workgroup shares begins and ends with it.
        if matches!(address.space, Space::Private | Space::Workgroup | Space::Patch) {
            return;
        }
        let writes = !matches!(instruction, Instruction::Read(..));
        for lane in lanes(mask) {
            // What is read or written of 64 bits are two words; an atomic operation is one.
            let atomic = matches!(instruction, Instruction::WideAtomic(..));
            let words = if atomic { 1 } else { width.registers() };
            for half in 0..words {
                let bytes = width.bytes() / words;
                let Some(aspect) = place(wave, address, lane, (half * 4, bytes)) else { continue };
                if reads {
                    self.note(aspect, lane, false, (None, None));
                }
                if writes && wave.helpers().bits() >> lane & 1 == 0 {
                    let word = word.map(|from| wave.register(Register(from.0 + half))[lane]);
                    self.note(aspect, lane, true, (word, None));
                }
            }
        }
    }

    fn texel(&mut self, _: LookupId, handle: u32, lane: usize, texel: Texel) {
        let who = self.who.get(lane).copied().unwrap_or_default();
        let access = Access { aspect: Touched::Sampler(handle), lane, who, store: false, word: None, texel: None };
        if (self.wanted)(&access) {
            self.texels.push((who, handle, texel));
        }
    }
}

impl DispatchObserver for Accesses<'_> {
    fn turn(&mut self, who: [[u32; 3]; LANES]) {
        self.who = who.to_vec();
    }
}

impl Accesses<'_> {
    fn image<const W: usize>(&mut self, wave: &WaveState<W>, op: &ImageOp, lane: usize) {
        let word = |register: Register| wave.register(register)[lane];
        let mut at = [0; 3];
        at.iter_mut().zip(&op.coords).for_each(|(at, register)| *at = word(*register));
        let aspect = Touched::Image(word(op.handle), at, op.sample.map_or(0, word));
        let (reads, writes) = match op.access {
            ImageAccess::Load(_) => (true, false),
            ImageAccess::Store(_) => (false, true),
            ImageAccess::Atomic(..) => (true, true),
        };
        if reads {
            self.note(aspect, lane, false, (None, None));
        }
        if writes && wave.helpers().bits() >> lane & 1 == 0 {
            let texel = match op.access {
                ImageAccess::Store(registers) => Some(registers.map(word)),
                _ => None,
            };
            self.note(aspect, lane, true, (None, texel));
        }
    }
}

fn lanes<const W: usize>(mask: &Mask<W>) -> impl Iterator<Item = usize> + use<W> {
    let bits = mask.bits();
    (0..W).filter(move |lane| bits >> lane & 1 == 1)
}

/// What a lane touches at an address: some bytes, from an offset on.
pub fn place<const W: usize>(
    wave: &WaveState<W>,
    address: &Address,
    lane: usize,
    (from, bytes): (u32, u32),
) -> Option<Touched> {
    let at = wave.resolve(address, lane)?;
    Some(Touched::Block(at.space, at.slot, at.offset?.checked_add(from)?, bytes))
}
