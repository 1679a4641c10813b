//! Where the sites of a program stand in its source.

use moment::{SiteId, SiteKind};

/// What a front end knows about one site.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceSite {
    /// The first byte of its text and the one after the last, as the front end counts them.
    pub span: (u32, u32),
    /// The line in which its text begins, counted from 1; zero if it has none.
    pub line: u32,
    /// The first and the last token it is made of, or other numbers that order sites in the same way: the extent of a
    /// site inside another lies within the extent of that one.
    pub extent: (u32, u32),
    /// The site at which stepping stops before this one runs: its statement, or the condition or step of a loop.
    pub step: Option<SiteId>,
}

/// The sites of one translation unit, by kind and number. A front end provides it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SourceMap {
    /// By number.
    pub expressions: Vec<SourceSite>,
    /// By number.
    pub statements: Vec<SourceSite>,
    /// By number.
    pub declarations: Vec<SourceSite>,
}

impl SourceMap {
    /// Returns what is known about a site; `None` if the unit has no such site.
    #[must_use]
    pub fn get(&self, site: SiteId) -> Option<&SourceSite> {
        let sites = match site.kind() {
            SiteKind::Expression => &self.expressions,
            SiteKind::Statement => &self.statements,
            SiteKind::Declaration => &self.declarations,
        };
        sites.get(site.number() as usize)
    }

    /// Returns the line in which a site begins; zero if that is unknown.
    #[must_use]
    pub fn line(&self, site: SiteId) -> u32 {
        self.get(site).map_or(0, |known| known.line)
    }

    /// Returns the site at which stepping stops before `site` runs.
    #[must_use]
    pub fn step(&self, site: SiteId) -> Option<SiteId> {
        self.get(site)?.step
    }

    /// Returns whether one site lies within another or is the same.
    #[must_use]
    pub fn is_inside(&self, inner: SiteId, outer: SiteId) -> bool {
        match (self.get(inner), self.get(outer)) {
            (Some(inner), Some(outer)) => outer.extent.0 <= inner.extent.0 && inner.extent.1 <= outer.extent.1,
            _ => false,
        }
    }
}
