//! Writes the pictures and contents that replays produce to files.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use device::{Picture, ReplayRequest};
use replay::{Contents, ReplaySink, SinkError};
use trace::{Content, Writer};

/// Writes to the files of a request.
#[derive(Default)]
pub struct Files {
    /// The folder for pictures.
    images: Option<PathBuf>,
    /// The trace for contents.
    contents: Option<PathBuf>,
    writer: Option<Writer>,
}

impl Files {
    /// Returns the writer of contents, and creates it on first use; `None` if the request has no file for contents.
    fn writer(&mut self) -> Result<Option<&mut Writer>, SinkError> {
        let Some(path) = &self.contents else { return Ok(None) };
        if self.writer.is_none() {
            let created = Writer::create(path, api::COMMANDS).map_err(|error| failure(path, error))?;
            self.writer = Some(created);
        }
        Ok(self.writer.as_mut())
    }

    /// Adds the file of contents to an error.
    fn failure(&self, error: impl std::error::Error) -> SinkError {
        failure(self.contents.as_deref().unwrap_or(Path::new("")), error)
    }
}

impl ReplaySink for Files {
    fn begin(&mut self, request: &ReplayRequest) -> Result<(), SinkError> {
        self.images.clone_from(&request.images);
        self.contents = request.contents.as_ref().map(|contents| contents.to.clone());
        if let Some(folder) = &self.images {
            std::fs::create_dir_all(folder).map_err(|error| failure(folder, error))?;
        }
        Ok(())
    }

    fn picture(&mut self, name: &str, picture: &Picture) -> Result<(), SinkError> {
        let Some(folder) = &self.images else { return Ok(()) };
        let path = folder.join(name);
        write_picture(&path, picture).map_err(|error| failure(&path, error))
    }

    fn contents(&mut self, contents: &Contents) -> Result<(), SinkError> {
        let written = self.writer()?.map(|writer| write_contents(writer, contents));
        written.transpose().map_err(|error| self.failure(error)).map(|_| ())
    }

    fn finish_contents(&mut self) -> Result<(), SinkError> {
        self.writer()?;
        let finished = self.writer.take().map(Writer::finish);
        finished.transpose().map_err(|error| self.failure(error)).map(|_| ())
    }
}

fn failure(path: &Path, error: impl std::error::Error) -> SinkError {
    format!("cannot write {}: {error}", path.display()).into()
}

/// Writes contents as the call that restores them.
fn write_contents(writer: &mut Writer, contents: &Contents) -> Result<(), trace::WriteError> {
    let data = Content { param: 11, bytes: &contents.bytes, digest_only: false };
    writer.enter(0, api::id::afiContents, true, &contents.arguments(), &[data])?;
    let number = writer.calls();
    writer.leave(0, 0, &[], number)
}

/// Writes a picture as PNG, top row first as files have it. Alpha is left out: windows do not show it.
fn write_picture(path: &Path, picture: &Picture) -> io::Result<()> {
    let file = File::create(path)?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    let rows = picture.rgba.chunks_exact(picture.width as usize * 4).rev();
    let rgb: Vec<u8> =
        rows.flat_map(|row| row.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])).collect();
    writer.write_image_data(&rgb)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottom_row_comes_last() {
        let path = std::env::temp_dir().join(format!("afterimage-picture-{}.png", std::process::id()));
        let rgba = vec![1, 2, 3, 0, 4, 5, 6, 0];
        write_picture(&path, &Picture { width: 1, height: 2, rgba }).unwrap();
        let decoder = png::Decoder::new(std::io::BufReader::new(File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(bytes, [4, 5, 6, 1, 2, 3]);
    }

    #[test]
    fn a_request_without_files_writes_none() {
        let mut files = Files::default();
        files.begin(&ReplayRequest::default()).unwrap();
        files.picture("frame-0000.png", &Picture { width: 1, height: 1, rgba: vec![0; 4] }).unwrap();
        files.finish_contents().unwrap();
        assert!(!Path::new("frame-0000.png").exists());
    }
}
