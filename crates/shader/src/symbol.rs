//! Interned names.
//!
//! Every keyword and every name of a built-in function, variable or constant is in a base table built once per
//! process; a shader's own names go into an overlay. A [`Symbol`] below [`Symbols::base_len`] is therefore known to
//! the language tables and can index them directly.

use crate::builtin;

/// An interned spelling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The empty spelling, used for punctuation.
    pub const EMPTY: Symbol = Symbol(0);
}

/// A set of spellings with their numbers.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    text: String,
    ends: Vec<u32>,
    /// Open addressing, power-of-two size; zero is vacant, otherwise index + 1.
    slots: Vec<u32>,
}

impl Interner {
    fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }

    /// Finds an existing spelling.
    #[must_use]
    pub fn find(&self, hash: u32, name: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                0 => return None,
                n if self.get(n as usize - 1) == name => return Some(n - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Adds a spelling that must not exist yet.
    fn add(&mut self, hash: u32, name: &str) -> u32 {
        if self.ends.len() * 2 >= self.slots.len() {
            self.grow();
        }
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
        let index = self.ends.len() as u32 - 1;
        self.place(hash, index);
        index
    }

    fn place(&mut self, hash: u32, index: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = index + 1;
    }

    fn grow(&mut self) {
        self.slots = vec![0; (self.slots.len() * 2).max(128)];
        for index in 0..self.ends.len() {
            self.place(hash(self.get(index)), index as u32);
        }
    }

    /// Finds or adds a spelling.
    pub fn intern(&mut self, name: &str) -> u32 {
        let hash = hash(name);
        self.find(hash, name).unwrap_or_else(|| self.add(hash, name))
    }

    /// Number of spellings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when nothing is interned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// FNV-1a folded to 32 bits: names are short, so a byte-wise hash is as fast as any other.
fn hash(name: &str) -> u32 {
    let mut h: u32 = 0x811c_9dc5;
    for b in name.bytes() {
        h = (h ^ u32::from(b)).wrapping_mul(0x0100_0193);
    }
    h ^ (h >> 15)
}

/// The names of one shader: the base table plus its own.
#[derive(Clone, Debug)]
pub struct Symbols {
    base: &'static Interner,
    own: Interner,
}

impl Default for Symbols {
    fn default() -> Symbols {
        let mut own = Interner { text: String::with_capacity(512), ends: Vec::with_capacity(64), slots: Vec::new() };
        own.grow();
        Symbols { base: builtin::names(), own }
    }
}

impl Symbols {
    /// The symbol for a spelling, new or old.
    pub fn intern(&mut self, name: &str) -> Symbol {
        let hash = hash(name);
        if let Some(index) = self.base.find(hash, name) {
            return Symbol(index);
        }
        let own = self.own.find(hash, name).unwrap_or_else(|| self.own.add(hash, name));
        Symbol(self.base.len() as u32 + own)
    }

    /// The symbol of a spelling, if it exists.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Symbol> {
        let hash = hash(name);
        self.base
            .find(hash, name)
            .or_else(|| self.own.find(hash, name).map(|own| self.base.len() as u32 + own))
            .map(Symbol)
    }

    /// The spelling of a symbol.
    #[must_use]
    pub fn name(&self, symbol: Symbol) -> &str {
        let index = symbol.0 as usize;
        match index.checked_sub(self.base.len()) {
            None => self.base.get(index),
            Some(own) => self.own.get(own),
        }
    }

    /// Number of symbols known to the language tables.
    #[must_use]
    pub fn base_len(&self) -> usize {
        self.base.len()
    }

    /// The total number of symbols.
    #[must_use]
    pub fn len(&self) -> usize {
        self.base.len() + self.own.len()
    }

    /// Always false: the base table is not empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }
}
