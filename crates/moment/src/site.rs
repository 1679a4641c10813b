//! Places in source code, numbered by a front end.

/// What a site is in the source language.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SiteKind {
    /// An expression; every call is one.
    Expression,
    /// A statement; every loop is one.
    Statement,
    /// A declaration.
    Declaration,
}

/// A place in the source of one translation unit.
///
/// The number is the front end's: it must be the same each time the same text is read, because moments are stored as
/// text. Only the front end knows what it stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SiteId {
    kind: SiteKind,
    number: u32,
}

impl SiteId {
    /// Returns the site of a kind with the front end's number.
    #[must_use]
    pub const fn new(kind: SiteKind, number: u32) -> SiteId {
        SiteId { kind, number }
    }

    /// Returns the expression with this number.
    #[must_use]
    pub const fn expression(number: u32) -> SiteId {
        SiteId::new(SiteKind::Expression, number)
    }

    /// Returns the statement with this number.
    #[must_use]
    pub const fn statement(number: u32) -> SiteId {
        SiteId::new(SiteKind::Statement, number)
    }

    /// Returns the declaration with this number.
    #[must_use]
    pub const fn declaration(number: u32) -> SiteId {
        SiteId::new(SiteKind::Declaration, number)
    }

    /// Returns what the site is.
    #[must_use]
    pub const fn kind(self) -> SiteKind {
        self.kind
    }

    /// Returns the number the front end gave it among the sites of its kind.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }
}
