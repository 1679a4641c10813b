//! `shared` variables: what was never written, and who disturbs whom.

/// An access that clashes with another invocation's between the same barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Clash {
    /// It reads what the other writes.
    Write(u32),
    /// It writes what the other reads.
    Read(u32),
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    written: bool,
    /// Who wrote last, between which barriers, what.
    writer: Option<(u32, u32, u32)>,
    /// Who read first, between which barriers; whether somebody else did too.
    reader: Option<(u32, u32, bool)>,
}

/// The words of a workgroup's shared memory. Invocations are numbered through all waves.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    words: Vec<Word>,
    barriers: u32,
}

impl Shared {
    pub(super) fn new(bytes: u32) -> Shared {
        Shared { words: vec![Word::default(); bytes as usize / 4], barriers: 0 }
    }

    /// All invocations have met.
    pub(super) fn barrier(&mut self) {
        self.barriers += 1;
    }

    /// Whether a word was ever written, and whether reading it clashes.
    pub(super) fn read(&mut self, offset: usize, invocation: u32) -> (bool, Option<Clash>) {
        let now = self.barriers;
        let Some(word) = self.words.get_mut(offset / 4) else { return (true, None) };
        word.reader = Some(match word.reader {
            Some((who, when, more)) if when == now => (who, when, more || who != invocation),
            _ => (invocation, now, false),
        });
        let clash = match word.writer {
            Some((who, when, _)) if when == now && who != invocation => Some(Clash::Write(who)),
            _ => None,
        };
        (word.written, clash)
    }

    /// Whether writing a value to a word clashes. The same value written by several does no harm.
    pub(super) fn write(&mut self, offset: usize, invocation: u32, value: u32) -> Option<Clash> {
        let now = self.barriers;
        let word = self.words.get_mut(offset / 4)?;
        let written = match word.writer {
            Some((who, when, what)) if when == now && who != invocation && what != value => Some(Clash::Write(who)),
            _ => None,
        };
        let read = match word.reader {
            Some((who, when, more)) if when == now && (more || who != invocation) => Some(Clash::Read(who)),
            _ => None,
        };
        word.written = true;
        word.writer = Some((invocation, now, value));
        written.or(read)
    }

    /// An atomic operation, which clashes with nothing here.
    pub(super) fn atomic(&mut self, offset: usize) {
        if let Some(word) = self.words.get_mut(offset / 4) {
            word.written = true;
        }
    }
}
