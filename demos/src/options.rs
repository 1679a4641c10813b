//! The options that all demos share.

use std::path::PathBuf;
use std::str::FromStr;

/// Number and size of frames, and their output.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Number of frames to draw.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub frames: u32,
    /// Width and height in pixels.
    #[arg(long, value_name = "WxH", default_value = "480x270")]
    pub size: Size,
    /// Draw in a window of the X server named by DISPLAY, instead of off-screen.
    #[arg(long)]
    pub window: bool,
    /// Write the last frame to a PNG file in this folder.
    #[arg(long, value_name = "DIR")]
    pub png: Option<PathBuf>,
    /// Never present a frame, like programs that draw only to files.
    #[arg(long)]
    pub no_present: bool,
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels per row.
    pub width: i32,
    /// Rows.
    pub height: i32,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let number = |part: &str| part.parse().ok().filter(|n| (1..=8192).contains(n));
        let sides = text.split_once('x').and_then(|(width, height)| Some((number(width)?, number(height)?)));
        let (width, height) = sides.ok_or("a size must be WIDTHxHEIGHT, each from 1 to 8192, for example 480x270")?;
        Ok(Size { width, height })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed() {
        assert_eq!("480x270".parse(), Ok(Size { width: 480, height: 270 }));
        for wrong in ["", "480", "0x5", "5x-1", "9000x9", "axb"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
