//! The contexts in which a feature exists, by version and extension.

/// The client APIs of GL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Client {
    /// Desktop GL with deprecated features: the compatibility profile, and versions before 3.1.
    #[default]
    Compatibility,
    /// Desktop GL without deprecated features.
    Core,
    /// OpenGL ES 1.
    Es1,
    /// OpenGL ES 2 and later.
    Es2,
}

/// The contexts in which a feature exists. Versions are written 45 for 4.5; 255 means never.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct When {
    /// The first version of core desktop GL.
    pub core: u8,
    /// The first version of compatibility GL.
    pub compatibility: u8,
    /// Whether OpenGL ES 1 has it.
    pub es1: bool,
    /// The first version of OpenGL ES 2 and later.
    pub es: u8,
    /// Extensions, any one of which adds it.
    pub extensions: &'static [&'static str],
}

/// In every context.
pub const ANY: When = when(10, 10, true, 20);

/// In no version; extensions may still add it.
pub const NOWHERE: When = when(255, 255, false, 255);

/// In contexts with fixed-function rendering: compatibility and ES 1.
pub const FIXED: When = when(255, 10, true, 255);

/// In compatibility contexts.
pub const COMPATIBILITY: When = when(255, 10, false, 255);

/// From these versions of core and compatibility on, in ES 1 or not, and from this version of ES 2 or later on.
#[must_use]
pub const fn when(core: u8, compatibility: u8, es1: bool, es: u8) -> When {
    When { core, compatibility, es1, es, extensions: &[] }
}

/// In desktop GL from a version on.
#[must_use]
pub const fn desktop(version: u8) -> When {
    when(version, version, false, 255)
}

/// In desktop GL from one version on, and in ES 2 or later from another.
#[must_use]
pub const fn both(desktop: u8, es: u8) -> When {
    when(desktop, desktop, false, es)
}

impl When {
    /// The same contexts, and those that have one of these extensions.
    #[must_use]
    pub const fn or(self, extensions: &'static [&'static str]) -> When {
        When { extensions, ..self }
    }

    /// Returns whether the feature exists in a context of this client and version; `has` tells its extensions.
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
