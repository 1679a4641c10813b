//! The pictures and contents that replays produce: a worker sends them, and its supervisor writes them to files.
//!
//! Whatever a worker sends is checked like anything else that comes from outside: a trace may have taken it over.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use device::{Ask, Picture, ReplayRequest};
use replay::{Contents, ReplaySink, SinkError};
use trace::{Content, Writer};

use crate::message::{FilePart, Message};
use crate::wire::{Wire, WireError};

/// The widest and highest picture: no driver has larger surfaces.
const LARGEST: u32 = 32768;

/// The worker's side: sends everything to the supervisor.
pub struct Outbox<'a>(pub &'a mut Wire);

impl Outbox<'_> {
    fn send(&mut self, part: FilePart, bytes: &[u8]) -> Result<(), SinkError> {
        self.0.send(&Message::File(part), bytes).map_err(|error| match error {
            WireError::Gone => "the supervisor is gone".into(),
            WireError::Garbled(why) => why.into(),
        })
    }
}

impl ReplaySink for Outbox<'_> {
    fn begin(&mut self, _request: &ReplayRequest) -> Result<(), SinkError> {
        self.send(FilePart::Begin, &[])
    }

    fn picture(&mut self, name: &str, picture: &Picture) -> Result<(), SinkError> {
        let (name, width, height) = (name.to_owned(), picture.width, picture.height);
        self.send(FilePart::Picture { name, width, height }, &picture.rgba)
    }

    fn contents(&mut self, contents: &Contents) -> Result<(), SinkError> {
        self.send(FilePart::Contents(contents.arguments()), &contents.bytes)
    }

    fn finish_contents(&mut self) -> Result<(), SinkError> {
        self.send(FilePart::ContentsEnd, &[])
    }
}

/// The supervisor's side: writes to the files of a question.
#[derive(Default)]
pub struct Files {
    /// The folder for pictures.
    images: Option<PathBuf>,
    /// The trace for contents.
    contents: Option<PathBuf>,
    writer: Option<Writer>,
}

impl Files {
    /// Returns where the files of a question go.
    pub fn of(ask: &Ask) -> Files {
        match ask {
            Ask::Replay(request) => Files {
                images: request.images.clone(),
                contents: request.contents.as_ref().map(|contents| contents.to.clone()),
                writer: None,
            },
            _ => Files::default(),
        }
    }

    /// Writes what a worker has sent. Parts that the question did not ask for are ignored.
    ///
    /// # Errors
    /// When it cannot be written, or makes no sense, as a sentence.
    pub fn take(&mut self, part: &FilePart, bytes: &[u8]) -> Result<(), String> {
        match part {
            FilePart::Begin => match &self.images {
                Some(folder) => std::fs::create_dir_all(folder).map_err(|error| failure(folder, error)),
                None => Ok(()),
            },
            FilePart::Picture { name, width, height } => {
                let Some(folder) = &self.images else { return Ok(()) };
                let is_right = is_picture_name(name)
                    && (1..=LARGEST).contains(width)
                    && (1..=LARGEST).contains(height)
                    && bytes.len() as u64 == 4 * u64::from(*width) * u64::from(*height);
                if !is_right {
                    return Err(format!("the worker sent a picture that cannot be one, {name:?}"));
                }
                let path = folder.join(name);
                write_picture(&path, [*width, *height], bytes).map_err(|error| failure(&path, error))
            }
            FilePart::Contents(arguments) => {
                if arguments[10] != bytes.len() as u64 {
                    return Err("the worker sent contents whose size is wrong".to_owned());
                }
                let written = self.writer()?.map(|writer| write_contents(writer, arguments, bytes));
                self.checked(written)
            }
            FilePart::ContentsEnd => {
                self.writer()?;
                let finished = self.writer.take().map(Writer::finish);
                self.checked(finished)
            }
        }
    }

    /// Returns the writer of contents, and creates it on first use; `None` if the request has no file for contents.
    fn writer(&mut self) -> Result<Option<&mut Writer>, String> {
        let Some(path) = &self.contents else { return Ok(None) };
        if self.writer.is_none() {
            let created = Writer::create(path, api::COMMANDS).map_err(|error| failure(path, error))?;
            self.writer = Some(created);
        }
        Ok(self.writer.as_mut())
    }

    /// Adds the file of contents to an error.
    fn checked<T>(&self, written: Option<Result<T, trace::WriteError>>) -> Result<(), String> {
        let path = self.contents.as_deref().unwrap_or(Path::new(""));
        written.transpose().map_err(|error| failure(path, error)).map(|_| ())
    }
}

fn failure(path: &Path, error: impl std::error::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

/// Returns whether a name is one that replays give to pictures, and in particular leads to no other folder.
fn is_picture_name(name: &str) -> bool {
    let number = name.strip_suffix(".png").and_then(|stem| stem.split_once('-'));
    let is_number =
        |text: &str, most: usize| (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    number.is_some_and(|(kind, number)| match (kind, number.split_once('-')) {
        ("frame" | "draw" | "command", None) => is_number(number, 20),
        // Of a further colour buffer.
        ("command", Some((number, buffer))) => is_number(number, 20) && is_number(buffer, 2),
        _ => false,
    })
}

/// Writes contents as the call that restores them.
fn write_contents(writer: &mut Writer, arguments: &[u64; 12], bytes: &[u8]) -> Result<(), trace::WriteError> {
    let data = Content { param: 11, bytes, digest_only: false };
    writer.enter(0, api::id::afiContents, true, arguments, &[data])?;
    let number = writer.calls();
    writer.leave(0, 0, &[], number)
}

/// Writes a picture as PNG, top row first as files have it. Alpha is left out: windows do not show it.
fn write_picture(path: &Path, [width, height]: [u32; 2], rgba: &[u8]) -> io::Result<()> {
    let file = File::create(path)?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    let rows = rgba.chunks_exact(width as usize * 4).rev();
    let rgb: Vec<u8> =
        rows.flat_map(|row| row.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])).collect();
    writer.write_image_data(&rgb)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(name: &str, width: u32, height: u32) -> FilePart {
        FilePart::Picture { name: name.to_owned(), width, height }
    }

    #[test]
    fn the_bottom_row_comes_last() {
        let folder = std::env::temp_dir().join(format!("afterimage-picture-{}", std::process::id()));
        let mut files = Files { images: Some(folder.clone()), ..Files::default() };
        files.take(&FilePart::Begin, &[]).unwrap();
        files.take(&picture("frame-0000.png", 1, 2), &[1, 2, 3, 0, 4, 5, 6, 0]).unwrap();
        let file = File::open(folder.join("frame-0000.png")).unwrap();
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(bytes, [4, 5, 6, 1, 2, 3]);
    }

    #[test]
    fn a_request_without_files_writes_none() {
        let mut files = Files::of(&Ask::Replay(Box::default()));
        files.take(&FilePart::Begin, &[]).unwrap();
        files.take(&picture("frame-0000.png", 1, 1), &[0; 4]).unwrap();
        files.take(&FilePart::ContentsEnd, &[]).unwrap();
        assert!(!Path::new("frame-0000.png").exists());
    }

    #[test]
    fn a_worker_cannot_choose_where_files_go() {
        for name in [
            "command-1-.png",
            "command-1-2-3.png",
            "frame-1-1.png",
            "../frame-1.png",
            "/tmp/frame-1.png",
            "frame-.png",
            "frame-1.sh",
            "x-1.png",
            "frame-1/2.png",
            "",
        ] {
            assert!(!is_picture_name(name), "{name}");
        }
        for name in ["command-00000047-1.png", "frame-0000.png", "draw-00000012.png", "command-00001200.png"] {
            assert!(is_picture_name(name), "{name}");
        }
        let folder = std::env::temp_dir().join(format!("afterimage-no-picture-{}", std::process::id()));
        let mut files = Files { images: Some(folder), ..Files::default() };
        assert!(files.take(&picture("../frame-0.png", 1, 1), &[0; 4]).is_err());
        assert!(files.take(&picture("frame-0.png", 2, 1), &[0; 4]).is_err());
        assert!(files.take(&picture("frame-0.png", 0, 1), &[]).is_err());
        assert!(files.take(&FilePart::Contents([5; 12]), &[0; 4]).is_err());
    }
}
