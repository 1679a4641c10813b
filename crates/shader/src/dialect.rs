//! The dialect at each point of a shader: `#extension` is allowed anywhere, so keywords and built-ins may change in the
//! middle.

use crate::builtin::{self, ExtensionSet, Words};
use crate::preprocess::{Behaviour, Preprocessed};
use crate::version::{Dialect, Options, Profile};

/// A range of tokens with one dialect.
struct Segment {
    start: usize,
    dialect: Dialect,
    words: Words,
}

/// The dialects of a shader in token order.
pub struct Timeline {
    segments: Vec<Segment>,
}

impl Timeline {
    /// Applies each `#extension`.
    #[must_use]
    pub fn new(input: &Preprocessed, options: &Options) -> Timeline {
        let mut version = input.version;
        let dialect = |enabled, version| Dialect { stage: options.stage, version, enabled, vendor: options.vendor };
        let mut enabled = ExtensionSet::initial(input.version);
        let mut dialects = vec![(0, dialect(enabled, version))];
        for change in &input.extensions {
            let name = input.symbols.name(change.name);
            let on = change.behaviour != Behaviour::Disable;
            if name == "all" {
                // `all : warn` has no effect on the meaning; `all : disable` disables everything (GLSL 4.60, 3.3).
                if change.behaviour == Behaviour::Disable {
                    enabled = ExtensionSet::empty();
                }
            } else {
                let known = builtin::extension(name).filter(|e| options.offers(*e, input.version));
                match known {
                    Some(extension) if on => {
                        enabled.insert(extension);
                        for implied in extension.implies() {
                            enabled.insert(*implied);
                        }
                    }
                    Some(extension) => enabled.remove(extension),
                    // The preprocessor has reported it.
                    None => continue,
                }
            }
            // GLSL 1.40 has no profiles; this extension brings back what it removed.
            if name == "GL_ARB_compatibility" && on && version.profile == Profile::Core {
                version.profile = Profile::Compatibility;
            }
            let now = dialect(enabled, version);
            let start = change.at.0 as usize;
            match dialects.last_mut() {
                Some(last) if last.0 == start => last.1 = now,
                _ => dialects.push((start, now)),
            }
        }
        let segment = |(start, dialect)| Segment { start, dialect, words: Words::new(&dialect) };
        Timeline { segments: dialects.into_iter().map(segment).collect() }
    }

    /// The dialect of a segment.
    #[must_use]
    pub fn dialect(&self, segment: usize) -> &Dialect {
        &self.segments[segment].dialect
    }

    /// The words of a segment.
    #[must_use]
    pub fn words(&self, segment: usize) -> &Words {
        &self.segments[segment].words
    }

    /// Whether segment number `segment` exists and begins at or before a token.
    #[must_use]
    pub fn segment_starts_at(&self, segment: usize, token: usize) -> bool {
        self.segments.get(segment).is_some_and(|s| s.start <= token)
    }

    /// The segment that contains a token.
    #[must_use]
    pub fn segment_of(&self, token: usize) -> usize {
        self.segments.partition_point(|s| s.start <= token).saturating_sub(1)
    }
}
