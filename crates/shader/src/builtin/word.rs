//! Keywords, type names and reserved words.

use std::sync::{Arc, OnceLock};

use super::condition::Conditions;
use super::extension::{ExtensionSet, Extensions};
use super::{Condition, tables, type_name};
use crate::symbol::{Interner, Symbol};
use crate::types::Type;
use crate::version::{Dialect, Stage};

macro_rules! keywords {
    ($($keyword:ident = $name:literal),* $(,)?) => {
        /// A word with a meaning in the grammar.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs, reason = "the names are GLSL's own")]
        pub enum Keyword { $($keyword),* }

        impl Keyword {
            /// Every keyword.
            pub const ALL: &[Keyword] = &[$(Keyword::$keyword),*];

            /// Its spelling.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Keyword::$keyword => $name),* }
            }

            fn from_name(name: &str) -> Option<Keyword> {
                match name { $($name => Some(Keyword::$keyword),)* _ => None }
            }
        }
    };
}

keywords! {
    If = "if", Else = "else", For = "for", While = "while", Do = "do", Switch = "switch", Case = "case",
    Default = "default", Break = "break", Continue = "continue", Return = "return", Discard = "discard",
    Demote = "demote", Const = "const", In = "in", Out = "out", Inout = "inout", Uniform = "uniform",
    Buffer = "buffer", Shared = "shared", Attribute = "attribute", Varying = "varying", Centroid = "centroid",
    Sample = "sample", Patch = "patch", Smooth = "smooth", Flat = "flat", NoPerspective = "noperspective",
    Invariant = "invariant", Precise = "precise", Coherent = "coherent", Volatile = "volatile",
    Restrict = "restrict", Readonly = "readonly", Writeonly = "writeonly", Layout = "layout",
    Subroutine = "subroutine", HighP = "highp", MediumP = "mediump", LowP = "lowp", Precision = "precision",
    Unsigned = "unsigned", Struct = "struct", Void = "void", True = "true", False = "false",
}

/// The meaning of a word at some point of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// A name.
    Identifier,
    /// A keyword.
    Keyword(Keyword),
    /// The name of a basic type.
    Type(Type),
    /// Reserved: any use is an error.
    Reserved,
}

/// The meanings of all words in one dialect. Building it takes some microseconds, a look-up one bounds check.
#[derive(Clone, Debug)]
pub struct Words(Arc<[Word]>);

/// The words of each version, profile and stage before the first `#extension`, built on first use.
static PLAIN: [[OnceLock<Words>; VERSIONS.len() * 3]; Stage::ALL.len()] =
    [const { [const { OnceLock::new() }; VERSIONS.len() * 3] }; Stage::ALL.len()];

const VERSIONS: [u16; 17] = [100, 110, 120, 130, 140, 150, 300, 310, 320, 330, 400, 410, 420, 430, 440, 450, 460];

impl Words {
    /// The words of a dialect.
    #[must_use]
    pub fn new(dialect: &Dialect) -> Words {
        // With the initial set of extensions, the table depends only on stage, version and profile, and is built once.
        let version = VERSIONS.iter().position(|v| *v == dialect.version.number);
        match version.filter(|_| dialect.enabled == ExtensionSet::initial(dialect.version)) {
            None => Words::build(dialect),
            Some(version) => {
                let language = version * 3 + dialect.version.profile as usize;
                PLAIN[dialect.stage as usize][language].get_or_init(|| Words::build(dialect)).clone()
            }
        }
    }

    fn build(dialect: &Dialect) -> Words {
        let tables = tables::get();
        let mut holds = vec![None; tables.conditions.len()];
        let mut words = vec![Word::Identifier; tables.words.count];
        for row in &tables.words.rows {
            if *holds[usize::from(row.when.0)].get_or_insert_with(|| row.when.holds(dialect)) {
                words[row.symbol.0 as usize] = row.word;
            }
        }
        Words(words.into())
    }

    /// The meaning of a word. Unknown words are identifiers.
    #[must_use]
    pub fn get(&self, symbol: Symbol) -> Word {
        self.0.get(symbol.0 as usize).copied().unwrap_or(Word::Identifier)
    }
}

/// Where a word is a keyword or the name of a type: `GLSL 1.30, GLSL ES 3.00 or GL_EXT_gpu_shader4`. `None` for words
/// that are so everywhere, or nowhere.
#[must_use]
pub fn word_since(symbol: Symbol) -> Option<String> {
    let rows = &tables::get().words.rows;
    super::condition::describe(
        rows.iter().filter(|row| row.symbol == symbol && row.word != Word::Reserved).map(|row| row.when),
    )
}

#[derive(Debug)]
pub(super) struct Row {
    symbol: Symbol,
    word: Word,
    when: Condition,
}

/// The table of words: first those that are reserved, then those with a meaning, which takes precedence.
#[derive(Debug)]
pub(super) struct WordTable {
    pub rows: Vec<Row>,
    /// Every word of the table has a symbol below this.
    pub count: usize,
}

impl WordTable {
    /// Parses `reserved.txt` and `words.txt`: each row is a list of words.
    pub(super) fn load(
        names: &mut Interner,
        conditions: &mut Conditions,
        extensions: &Extensions,
        errors: &mut Vec<String>,
    ) -> WordTable {
        let mut rows = Vec::new();
        super::text::rows(include_str!("reserved.txt"), conditions, extensions, errors, |line, when| {
            for name in line.split_whitespace() {
                rows.push(Row { symbol: Symbol(names.intern(name)), word: Word::Reserved, when });
            }
            Ok(())
        });
        super::text::rows(include_str!("words.txt"), conditions, extensions, errors, |line, when| {
            for name in line.split_whitespace() {
                let word = Keyword::from_name(name)
                    .map(Word::Keyword)
                    .or_else(|| type_name::parse(name).map(Word::Type))
                    .ok_or_else(|| format!("neither keyword nor type: {name}"))?;
                rows.push(Row { symbol: Symbol(names.intern(name)), word, when });
            }
            Ok(())
        });
        WordTable { rows, count: names.len() }
    }
}
