//! Converts bytes to a shader and its options.

use shader::version::{Options, Profile, Stage, Vendor, Version};

/// Bytes before the text: the stage, then the options.
pub const HEADER: usize = 2;

/// One shader to test.
pub struct Input {
    /// Its options.
    pub options: Options,
    /// The strings for `glShaderSource`.
    pub strings: Vec<String>,
}

impl Input {
    /// Reads a header and a text, in which NUL ends a string. Invalid UTF-8 becomes U+FFFD.
    pub fn read(data: &[u8]) -> Input {
        let (header, text) = data.split_at(data.len().min(HEADER));
        let byte = |at: usize| header.get(at).copied().unwrap_or(0);
        let mut options = Options::new(Stage::ALL[usize::from(byte(0)) % Stage::ALL.len()]);
        let mode = byte(1);
        options.webgl = mode & 1 != 0;
        options.vendor = [Vendor::Khronos, Vendor::Khronos, Vendor::Mesa, Vendor::Nvidia][usize::from(mode >> 1 & 3)];
        if mode & 8 != 0 {
            options.default_version = Version { number: 100, profile: Profile::Es };
        }
        options.version_override = match mode >> 4 {
            1 => Some(Version { number: 100, profile: Profile::Es }),
            2 => Some(Version { number: 310, profile: Profile::Es }),
            3 => Some(Version { number: 460, profile: Profile::Compatibility }),
            4 => Some(Version { number: 120, profile: Profile::Compatibility }),
            _ => None,
        };
        let strings = text.split(|b| *b == 0).map(|s| String::from_utf8_lossy(s).into_owned()).collect();
        Input { options, strings }
    }
}
