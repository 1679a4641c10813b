//! Pictures as files.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use crate::ReplayError;
use device::Picture;

/// Writes a picture as PNG, top row first as files have it. Alpha is left out: windows do not show it.
pub fn write(path: &Path, picture: &Picture) -> Result<(), ReplayError> {
    let failed = |source: std::io::Error| ReplayError::Image { path: path.display().to_string(), source };
    let file = File::create(path).map_err(failed)?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(|error| failed(error.into()))?;
    let rows = picture.rgba.chunks_exact(picture.width as usize * 4).rev();
    let rgb: Vec<u8> =
        rows.flat_map(|row| row.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])).collect();
    writer.write_image_data(&rgb).map_err(|error| failed(error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottom_row_comes_last() {
        let path = std::env::temp_dir().join(format!("afterimage-picture-{}.png", std::process::id()));
        let rgba = vec![1, 2, 3, 0, 4, 5, 6, 0];
        write(&path, &Picture { width: 1, height: 2, rgba }).unwrap();
        let decoder = png::Decoder::new(std::io::BufReader::new(File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(bytes, [4, 5, 6, 1, 2, 3]);
    }
}
