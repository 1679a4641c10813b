//! Extensions: their names, the languages that offer them, and the extensions they imply.

use super::condition::Conditions;
use super::tables;
use crate::version::Version;

/// A known extension.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Extension(pub(super) u16);

impl Extension {
    /// `GL_ARB_compatibility`, which determines the profile of GLSL 1.40; the first row of the table.
    pub const COMPATIBILITY: Extension = Extension(0);

    /// Its name, with `GL_`.
    #[must_use]
    pub fn name(self) -> &'static str {
        tables::get().extensions.rows[usize::from(self.0)].name
    }

    /// True if a shader of this version can enable it. An extension of the other language (`GL_OES_…` on the desktop)
    /// is unknown there.
    #[must_use]
    pub fn offered(self, version: Version) -> bool {
        let tables = tables::get();
        let when = tables.extensions.rows[usize::from(self.0)].when;
        tables.conditions.clauses(when).iter().any(|clause| clause.allows(version))
    }

    /// The extensions that are enabled along with it, transitively.
    #[must_use]
    pub fn implies(self) -> &'static [Extension] {
        &tables::get().extensions.rows[usize::from(self.0)].implies
    }
}

/// The extension of that name (with `GL_`), if it is known.
#[must_use]
pub fn extension(name: &str) -> Option<Extension> {
    tables::get().extensions.find(name)
}

const WORDS: usize = 4;

/// A set of extensions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ExtensionSet([u64; WORDS]);

impl ExtensionSet {
    /// The maximum number of extensions in a set.
    pub const CAPACITY: usize = WORDS * 64;

    /// No extension.
    #[must_use]
    pub fn empty() -> ExtensionSet {
        ExtensionSet::default()
    }

    /// Every known extension.
    #[must_use]
    pub fn all() -> ExtensionSet {
        let count = tables::get().extensions.rows.len();
        ExtensionSet(std::array::from_fn(|word| match count.saturating_sub(word * 64) {
            0 => 0,
            bits @ 1..64 => (1 << bits) - 1,
            _ => u64::MAX,
        }))
    }

    /// The extensions that are enabled before the first `#extension`: `GL_ARB_texture_rectangle`, whose specification
    /// requires no directive, but which can be disabled.
    #[must_use]
    pub fn initial(version: Version) -> ExtensionSet {
        let initial = tables::get().extensions.initial.iter().copied();
        initial.filter(|extension| extension.offered(version)).collect()
    }

    /// True if the extension is in the set.
    #[must_use]
    pub fn contains(&self, extension: Extension) -> bool {
        self.0[usize::from(extension.0) / 64] >> (extension.0 % 64) & 1 != 0
    }

    /// Adds an extension.
    pub fn insert(&mut self, extension: Extension) {
        self.0[usize::from(extension.0) / 64] |= 1 << (extension.0 % 64);
    }

    /// Removes an extension.
    pub fn remove(&mut self, extension: Extension) {
        self.0[usize::from(extension.0) / 64] &= !(1 << (extension.0 % 64));
    }

    /// The members, in the table's order.
    pub fn iter(&self) -> impl Iterator<Item = Extension> + use<> {
        (0u16..).zip(self.0).flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros();
                bits &= bits.wrapping_sub(1);
                (bit < 64).then(|| Extension(word * 64 + bit as u16))
            })
        })
    }

    /// The names of the members, in the table's order.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.iter().map(Extension::name).collect()
    }
}

impl FromIterator<Extension> for ExtensionSet {
    fn from_iter<I: IntoIterator<Item = Extension>>(extensions: I) -> ExtensionSet {
        let mut set = ExtensionSet::default();
        for extension in extensions {
            set.insert(extension);
        }
        set
    }
}

#[derive(Debug)]
pub(super) struct Row {
    pub name: &'static str,
    when: super::Condition,
    implies: Box<[Extension]>,
}

/// The table of extensions.
#[derive(Debug, Default)]
pub(super) struct Extensions {
    pub rows: Vec<Row>,
    /// By name.
    sorted: Vec<(&'static str, Extension)>,
    /// Those enabled before the first `#extension`.
    initial: Vec<Extension>,
}

impl Extensions {
    pub(super) fn find(&self, name: &str) -> Option<Extension> {
        let at = self.sorted.binary_search_by_key(&name, |row| row.0).ok()?;
        Some(self.sorted[at].1)
    }

    /// Parses `extensions.txt`: rows `NAME [(initially on)] [-> IMPLIED IMPLIED …]`.
    pub(super) fn load(text: &'static str, conditions: &mut Conditions, errors: &mut Vec<String>) -> Extensions {
        let mut table = Extensions::default();
        let mut implied = Vec::new();
        super::text::rows(text, conditions, &Extensions::default(), errors, |line, when| {
            let (name, implies) = line.split_once("->").unwrap_or((line, ""));
            implied.push(implies);
            let (name, initial) = match name.split_once("(initially on)") {
                Some((name, _)) => (name, true),
                None => (name, false),
            };
            if initial {
                table.initial.push(Extension(table.rows.len() as u16));
            }
            table.rows.push(Row { name: name.trim(), when, implies: Box::default() });
            Ok(())
        });
        table.sorted = table.rows.iter().enumerate().map(|(n, row)| (row.name, Extension(n as u16))).collect();
        table.sorted.sort_unstable();
        if table.rows.len() > ExtensionSet::CAPACITY {
            errors.push(format!("more than {} extensions", ExtensionSet::CAPACITY));
            table.rows.truncate(ExtensionSet::CAPACITY);
        }
        for pair in table.sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            errors.push(format!("extension listed twice: {}", pair[0].0));
        }
        let direct: Vec<Vec<Extension>> = implied
            .iter()
            .map(|names| {
                let found = names.split_whitespace().map(|name| table.find(name).ok_or(name));
                let (ok, bad): (Vec<_>, Vec<_>) = found.partition(Result::is_ok);
                errors
                    .extend(bad.into_iter().filter_map(Result::err).map(|n| format!("implies unknown extension {n}")));
                ok.into_iter().filter_map(Result::ok).collect()
            })
            .collect();
        for (n, row) in table.rows.iter_mut().enumerate() {
            let mut set: Vec<Extension> = direct[n].clone();
            let mut done = 0;
            while done < set.len() {
                let more = &direct[usize::from(set[done].0)];
                set.extend(more.iter().filter(|e| !set.contains(e)).copied().collect::<Vec<_>>());
                done += 1;
            }
            row.implies = set.into_boxed_slice();
        }
        table
    }
}
