//! Conditions of table rows: language, version, stage, extensions.
//!
//! # Grammar of condition lines
//!
//! A line that starts with `@` gives the condition of the following rows, up to the next such line:
//!
//! ```text
//! @ gl>=130 | es>=300 | GL_EXT_gpu_shader4
//! @ [fragment]: gl<140 | compat | es GL_OES_standard_derivatives
//! @ [compute] gl>=430 | [tesc] gl>=400
//! define fp64 gl>=400 | GL_ARB_gpu_shader_fp64
//! ```
//!
//! * `|` separates alternatives; the terms of one alternative, separated by spaces, must all hold.
//! * A language term is `gl` (desktop, either profile), `core`, `compat` or `es`, with `>=n`, `<n`, `>=n<m` or `=n`.
//! * `GL_…` holds where that extension is enabled. A language term next to it narrows it.
//! * `[stage stage …]` is a term that restricts its alternative; followed by a colon, before the first
//!   alternative, it restricts them all. The stages are `vertex`, `tesc`, `tese`, `geometry`, `fragment`, `compute`.
//! * `mesa` and `nvidia` hold where that vendor's deviations are accepted; a language term next to it narrows it.
//! * `all` always holds.
//! * `define NAME condition` gives a condition a name, which is then a term (`conditions.txt` has them all).
//!
//! Versions below 1.40 have the compatibility profile. So has 1.40 where `GL_ARB_compatibility` is enabled.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::extension::{Extension, Extensions};
use super::tables;
use crate::version::{Dialect, Profile, Stage, Vendor, Version};

/// When something exists: an index into the condition table, so it is cheap to copy and to store in each row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Condition(pub(super) u16);

impl Condition {
    /// True if it holds at this point of a shader.
    #[must_use]
    pub fn holds(self, dialect: &Dialect) -> bool {
        self.clauses().iter().any(|clause| clause.holds(dialect))
    }

    /// True if it holds, but only because a vendor's deviations are accepted.
    #[must_use]
    pub fn deviates(self, dialect: &Dialect) -> bool {
        dialect.vendor != Vendor::Khronos && !self.holds(&Dialect { vendor: Vendor::Khronos, ..*dialect })
    }

    /// The alternatives.
    #[must_use]
    pub fn clauses(self) -> &'static [Clause] {
        tables::get().conditions.clauses(self)
    }
}

const CORE: u8 = 1;
const COMPATIBILITY: u8 = 2;
const ES: u8 = 4;
const ANY_LANGUAGE: u8 = CORE | COMPATIBILITY | ES;
const ANY_STAGE: u8 = 0x3f;

/// One alternative of a condition; all its parts must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clause {
    /// Bits for core, compatibility and ES.
    languages: u8,
    /// Bits as [`Stage::bit`].
    stages: u8,
    /// The first version.
    from: u16,
    /// The first version that no longer has it.
    until: u16,
    /// Extensions that must be enabled.
    extensions: [Option<Extension>; 2],
    /// The vendor whose deviation it is.
    vendor: Option<Vendor>,
}

impl Clause {
    const ALWAYS: Clause = Clause {
        languages: ANY_LANGUAGE,
        stages: ANY_STAGE,
        from: 0,
        until: u16::MAX,
        extensions: [None; 2],
        vendor: None,
    };

    /// True if it holds at this point of a shader.
    #[must_use]
    pub fn holds(&self, dialect: &Dialect) -> bool {
        let number = dialect.version.number;
        self.from <= number
            && number < self.until
            && self.stages & dialect.stage.bit() != 0
            && self.languages & languages(dialect) != 0
            && self.extensions.iter().flatten().all(|&e| dialect.enabled.contains(e))
            && self.vendor.is_none_or(|v| v == dialect.vendor)
    }

    /// True if the language and version match, whatever the stage and extensions.
    pub(super) fn allows(&self, version: Version) -> bool {
        let bit = profile_bit(version.profile);
        self.from <= version.number && version.number < self.until && self.languages & bit != 0
    }

    /// The conjunction of both clauses; `None` if they are contradictory or need too many extensions.
    fn and(self, other: Clause) -> Option<Clause> {
        let mut both = Clause {
            languages: self.languages & other.languages,
            stages: self.stages & other.stages,
            from: self.from.max(other.from),
            until: self.until.min(other.until),
            extensions: self.extensions,
            vendor: self.vendor.or(other.vendor),
        };
        for e in other.extensions.into_iter().flatten() {
            if !both.extensions.contains(&Some(e)) {
                *both.extensions.iter_mut().find(|slot| slot.is_none())? = Some(e);
            }
        }
        (both.languages != 0 && both.stages != 0 && both.from < both.until).then_some(both)
    }

    /// True if it holds wherever `other` does.
    fn covers(&self, other: &Clause) -> bool {
        other.languages & !self.languages == 0
            && other.stages & !self.stages == 0
            && self.from <= other.from
            && other.until <= self.until
            && self.extensions.iter().flatten().all(|e| other.extensions.contains(&Some(*e)))
            && self.vendor.is_none_or(|v| other.vendor == Some(v))
    }

    fn describe(&self) -> String {
        let mut text = String::new();
        let number = |v: u16| format!("{}.{:02}", v / 100, v % 100);
        let language = match self.languages {
            ANY_LANGUAGE => "",
            ES => "GLSL ES",
            COMPATIBILITY => "the compatibility profile of GLSL",
            CORE => "the core profile of GLSL",
            _ => "GLSL",
        };
        text.push_str(language);
        match (self.from, self.until) {
            (0, u16::MAX) => {}
            (from, u16::MAX) => _ = write!(text, " {}", number(from)),
            (0, until) => _ = write!(text, " before {}", number(until)),
            (from, until) if until == from + 1 => _ = write!(text, " {} only", number(from)),
            (from, until) => _ = write!(text, " {} (until {})", number(from), number(until)),
        }
        for e in self.extensions.iter().flatten() {
            text.push_str(if text.is_empty() { "" } else { " with " });
            text.push_str(e.name());
        }
        if self.stages != ANY_STAGE {
            let stages: Vec<_> = Stage::ALL.iter().filter(|s| self.stages & s.bit() != 0).map(|s| s.name()).collect();
            _ = write!(text, " in {} shaders", stages.join(", "));
        }
        text.trim_start().to_string()
    }
}

fn profile_bit(profile: Profile) -> u8 {
    match profile {
        Profile::Core => CORE,
        Profile::Compatibility => COMPATIBILITY,
        Profile::Es => ES,
    }
}

fn languages(dialect: &Dialect) -> u8 {
    let bit = profile_bit(dialect.version.profile);
    if bit == CORE && dialect.version.number == 140 && dialect.enabled.contains(Extension::COMPATIBILITY) {
        COMPATIBILITY
    } else {
        bit
    }
}

/// Describes the disjunction of conditions: `GLSL 1.30, GLSL ES 3.00 or GL_EXT_gpu_shader4`.
pub(super) fn describe(conditions: impl Iterator<Item = Condition>) -> Option<String> {
    let mut clauses: Vec<&Clause> = Vec::new();
    for clause in conditions.flat_map(|c| c.clauses()).filter(|c| c.vendor.is_none()) {
        if !clauses.iter().any(|known| known.covers(clause)) {
            clauses.retain(|known| !clause.covers(known));
            clauses.push(clause);
        }
    }
    if clauses.contains(&&Clause::ALWAYS) {
        return None;
    }
    let mut parts: Vec<String> = clauses.into_iter().map(Clause::describe).collect();
    let last = parts.pop()?;
    Some(if parts.is_empty() { last } else { format!("{} or {last}", parts.join(", ")) })
}

/// All conditions of the tables, each once.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    clauses: Vec<Clause>,
    /// The end of each condition in `clauses`.
    ends: Vec<u32>,
    known: BTreeMap<&'static str, Condition>,
    names: BTreeMap<&'static str, Condition>,
}

impl Conditions {
    pub(super) fn clauses(&self, condition: Condition) -> &[Clause] {
        let index = usize::from(condition.0);
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.clauses[start..self.ends[index] as usize]
    }

    /// Number of conditions; each [`Condition`] is below it.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Parses `define NAME condition` without the first word.
    pub(super) fn define(&mut self, text: &'static str, extensions: &Extensions) -> Result<(), String> {
        let (name, text) = text.trim().split_once(' ').ok_or_else(|| format!("nothing defined: {text}"))?;
        let condition = self.parse(text.trim(), extensions)?;
        match self.names.insert(name, condition) {
            None => Ok(()),
            Some(_) => Err(format!("defined twice: {name}")),
        }
    }

    /// Parses a condition without its `@`.
    pub(super) fn parse(&mut self, text: &'static str, extensions: &Extensions) -> Result<Condition, String> {
        let text = text.trim();
        if let Some(&known) = self.known.get(text) {
            return Ok(known);
        }
        let mut all = Vec::new();
        let (common, alternatives) = match text.strip_prefix('[').and_then(|rest| rest.split_once("]:")) {
            Some((stages, rest)) => (Clause { stages: stage_set(stages)?, ..Clause::ALWAYS }, rest),
            None => (Clause::ALWAYS, text),
        };
        for alternative in alternatives.split('|') {
            self.alternative(alternative.trim(), common, extensions, &mut all)
                .map_err(|e| format!("{e} in condition: {text}"))?;
        }
        if all.is_empty() {
            return Err(format!("condition never holds: {text}"));
        }
        let condition = Condition(self.ends.len() as u16);
        self.clauses.extend(all);
        self.ends.push(self.clauses.len() as u32);
        self.known.insert(text, condition);
        Ok(condition)
    }

    fn alternative(
        &self,
        mut text: &'static str,
        common: Clause,
        extensions: &Extensions,
        all: &mut Vec<Clause>,
    ) -> Result<(), String> {
        let mut product = vec![common];
        while !text.is_empty() {
            let (term, rest) = if let Some(stages) = text.strip_prefix('[') {
                let (stages, rest) = stages.split_once(']').ok_or("unclosed [")?;
                (vec![Clause { stages: stage_set(stages)?, ..Clause::ALWAYS }], rest)
            } else {
                let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
                (self.term(word, extensions)?, rest)
            };
            product = product.iter().flat_map(|a| term.iter().filter_map(|b| a.and(*b))).collect();
            text = rest.trim_start();
        }
        for clause in product {
            if !all.contains(&clause) {
                all.push(clause);
            }
        }
        Ok(())
    }

    fn term(&self, word: &str, extensions: &Extensions) -> Result<Vec<Clause>, String> {
        if word.starts_with("GL_") {
            let extension = extensions.find(word).ok_or_else(|| format!("unknown extension {word}"))?;
            return Ok(vec![Clause { extensions: [Some(extension), None], ..Clause::ALWAYS }]);
        }
        let vendor = match word {
            "mesa" => Some(Vendor::Mesa),
            "nvidia" => Some(Vendor::Nvidia),
            _ => None,
        };
        if vendor.is_some() {
            return Ok(vec![Clause { vendor, ..Clause::ALWAYS }]);
        }
        if let Some(&named) = self.names.get(word) {
            return Ok(self.clauses(named).to_vec());
        }
        let split = word.find(['<', '>', '=']).unwrap_or(word.len());
        let (language, range) = word.split_at(split);
        let languages = match language {
            "all" => ANY_LANGUAGE,
            "gl" => CORE | COMPATIBILITY,
            "core" => CORE,
            "compat" => COMPATIBILITY,
            "es" => ES,
            _ => return Err(format!("unknown term {word}")),
        };
        let (from, until) = version_range(range).ok_or_else(|| format!("bad version range {word}"))?;
        Ok(vec![Clause { languages, from, until, ..Clause::ALWAYS }])
    }
}

fn version_range(text: &str) -> Option<(u16, u16)> {
    if text.is_empty() {
        return Some((0, u16::MAX));
    }
    if let Some(only) = text.strip_prefix('=') {
        let n: u16 = only.parse().ok()?;
        return Some((n, n.checked_add(1)?));
    }
    if let Some(until) = text.strip_prefix('<') {
        return Some((0, until.parse().ok()?));
    }
    let from = text.strip_prefix(">=")?;
    match from.split_once('<') {
        Some((from, until)) => Some((from.parse().ok()?, until.parse().ok()?)),
        None => Some((from.parse().ok()?, u16::MAX)),
    }
}

fn stage_set(text: &str) -> Result<u8, String> {
    let mut set = 0;
    for word in text.split_whitespace() {
        set |= match word {
            "vertex" => Stage::Vertex.bit(),
            "tesc" => Stage::TessControl.bit(),
            "tese" => Stage::TessEvaluation.bit(),
            "geometry" => Stage::Geometry.bit(),
            "fragment" => Stage::Fragment.bit(),
            "compute" => Stage::Compute.bit(),
            _ => return Err(format!("unknown stage {word}")),
        };
    }
    Ok(set)
}
