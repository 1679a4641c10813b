//! Slots: pieces of state that calls set, and that others rely on.
//!
//! A slot is what one kind of call with the same selectors sets: `glEnable(GL_BLEND)` is one, `glEnablei(GL_BLEND, 0)`
//! another. That they overlap does no harm: the last call for each slot is kept, all kept calls stay in their order, and
//! so the last to set anything is the last among them, too. Only what calls *rely on* must name every slot it may be in,
//! for which slots come in families.

use std::collections::BTreeMap;

use api::Namespace;

use super::attributes::{Cover, Groups, Saved};

/// Whose state it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Owner {
    Thread(u32),
    Context(u32),
    Object(Object),
}

/// An object. Names are given out again after deletion, so each has an age, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Object {
    /// The first context of its share group, or its only context; see [`Object::PRIVATE`].
    pub home: u32,
    pub space: Namespace,
    pub name: u32,
    /// How many objects had this name before.
    pub age: u32,
}

impl Object {
    /// Added to the number of a context that does not share objects of this kind.
    pub const PRIVATE: u32 = 1 << 31;
}

/// What kind of state it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    Current,
    Plain,
    PixelStore,
    ActiveTexture,
    ClientActiveTexture,
    TextureBinding,
    BufferBinding,
    Program,
    VertexArray,
    Framebuffer,
    Renderbuffer,
    Assembly,
    MatrixMode,
    RasterPosition,
    /// Parameters of objects, attachments, arrays, uniforms.
    Parameter,
    Storage,
    Contents,
    Mapping,
    List,
}

/// A slot's number, or a family's.
pub type Number = u32;

/// All slots that calls have used so far.
#[derive(Default)]
pub struct Slots {
    numbers: BTreeMap<(Owner, Family, u64), Number>,
    families: BTreeMap<(Owner, Family), Number>,
    members: Vec<Vec<Number>>,
    /// What each slot is.
    about: Vec<(Owner, Family, Groups)>,
}

impl Slots {
    /// The number of a slot.
    pub fn number(&mut self, owner: Owner, family: Family, key: u64) -> Number {
        if let Some(number) = self.numbers.get(&(owner, family, key)) {
            return *number;
        }
        let number = self.about.len() as Number;
        self.about.push((owner, family, None));
        self.numbers.insert((owner, family, key), number);
        let family = self.family(owner, family);
        self.members[family as usize].push(number);
        number
    }

    /// The number of a family of slots.
    pub fn family(&mut self, owner: Owner, family: Family) -> Number {
        *self.families.entry((owner, family)).or_insert_with(|| {
            self.members.push(Vec::new());
            self.members.len() as Number - 1
        })
    }

    /// The slots of a family.
    pub fn members(&self, family: Number) -> &[Number] {
        &self.members[family as usize]
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.about.len()
    }

    /// Says which groups of attributes a slot belongs to.
    pub fn classify(&mut self, slot: Number, groups: Groups) {
        self.about[slot as usize].2 = groups;
    }

    /// For each slot, whether it is brought back by something that was saved.
    pub fn covered(&self, saved: &Saved) -> Vec<Cover> {
        self.about.iter().map(|(owner, family, groups)| saved.covers(*owner, *family, *groups)).collect()
    }

    /// Whether a slot is brought back for certain.
    pub fn is_covered(&self, slot: Number, saved: &Saved) -> bool {
        let (owner, family, groups) = self.about[slot as usize];
        saved.covers(owner, family, groups) == Cover::Yes
    }

    /// All slots of an object, of one kind or of all.
    pub fn of(&self, object: Object, family: Option<Family>) -> impl Iterator<Item = Number> {
        let owner = Owner::Object(object);
        let range = (owner, family.unwrap_or(Family::Current), 0)..=(owner, family.unwrap_or(Family::List), u64::MAX);
        self.numbers.range(range).map(|(_, number)| *number)
    }
}

/// A key made of several numbers (FNV-1a).
pub fn key(parts: impl IntoIterator<Item = u64>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for part in parts {
        for byte in part.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
