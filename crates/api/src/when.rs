//! In which contexts something exists: versions and extensions.

/// The kinds of GL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Client {
    /// Desktop GL with everything that was ever removed, or before anything was.
    #[default]
    Compatibility,
    /// Desktop GL without what was removed.
    Core,
    /// OpenGL ES 1.
    Es1,
    /// OpenGL ES 2 and later.
    Es2,
}

/// In which contexts something exists. Versions are written 45 for 4.5; 255 is never.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct When {
    /// Core desktop GL from this version on.
    pub core: u8,
    /// Compatibility GL from this version on.
    pub compatibility: u8,
    /// OpenGL ES 1.
    pub es1: bool,
    /// OpenGL ES 2 and later from this version on.
    pub es: u8,
    /// Extensions any of which bring it too.
    pub extensions: &'static [&'static str],
}

/// Everywhere.
pub const ANY: When = when(10, 10, true, 20);

/// In no version; there may be extensions.
pub const NOWHERE: When = when(255, 255, false, 255);

/// Where fixed functions are: compatibility and ES 1.
pub const FIXED: When = when(255, 10, true, 255);

/// Compatibility only.
pub const COMPATIBILITY: When = when(255, 10, false, 255);

/// The first versions of core, compatibility, ES 1 and ES 2 or later.
#[must_use]
pub const fn when(core: u8, compatibility: u8, es1: bool, es: u8) -> When {
    When { core, compatibility, es1, es, extensions: &[] }
}

/// Desktop GL from a version on.
#[must_use]
pub const fn desktop(version: u8) -> When {
    when(version, version, false, 255)
}

/// Desktop GL from one version on, and ES 2 or later from another.
#[must_use]
pub const fn both(desktop: u8, es: u8) -> When {
    when(desktop, desktop, false, es)
}

impl When {
    /// The same, and wherever there is one of these extensions.
    #[must_use]
    pub const fn or(self, extensions: &'static [&'static str]) -> When {
        When { extensions, ..self }
    }

    /// Whether it exists in a context of this kind and version that has the extensions for which `has` is true.
    #[must_use]
    pub fn exists(&self, client: Client, version: (u32, u32), has: impl Fn(&str) -> bool) -> bool {
        let version = version.0 * 10 + version.1;
        let since = |first: u8| first != 255 && version >= u32::from(first);
        let by_version = match client {
            Client::Compatibility => since(self.compatibility),
            Client::Core => since(self.core),
            Client::Es1 => self.es1,
            Client::Es2 => since(self.es),
        };
        by_version || self.extensions.iter().any(|extension| has(extension))
    }
}
