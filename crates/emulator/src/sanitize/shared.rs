//! Memory of a workgroup: which words were never written, and which accesses race.

/// A race of an access with another invocation's between the same barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Clash {
    /// It accesses what the other writes.
    Write(u32),
    /// It writes what the other reads.
    Read(u32),
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    written: bool,
    /// The last writer, between which barriers it wrote, and the value.
    writer: Option<(u32, u32, u32)>,
    /// The first reader, between which barriers it read, and whether another invocation also read.
    reader: Option<(u32, u32, bool)>,
}

/// The words of a workgroup's memory. Invocations are numbered through all waves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    words: Vec<Word>,
    barriers: u32,
}

impl Shared {
    pub(crate) fn new(bytes: u32) -> Shared {
        Shared { words: vec![Word::default(); bytes as usize / 4], barriers: 0 }
    }

    /// Records that all invocations have reached a barrier.
    pub(crate) fn barrier(&mut self) {
        self.barriers += 1;
    }

    /// Records a read; returns whether the word was ever written, and the race if there is one.
    pub(crate) fn read(&mut self, offset: usize, invocation: u32) -> (bool, Option<Clash>) {
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

    /// Records a write; returns the race if there is one. Several writes of the same value are no race.
    pub(crate) fn write(&mut self, offset: usize, invocation: u32, value: u32) -> Option<Clash> {
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

    /// Records an atomic operation, which never races.
    pub(crate) fn atomic(&mut self, offset: usize) {
        if let Some(word) = self.words.get_mut(offset / 4) {
            word.written = true;
        }
    }
}
