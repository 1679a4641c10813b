//! PNG files in and out.

use std::fs::File;
use std::io::{BufReader, BufWriter};

use anyhow::{Context, bail};
use emulator::ir::{Dim, ScalarKind};
use texture::{Format, Level, Texture};

/// A texture from a PNG file, or an empty one from its size. The file's top row is the last one, where t is 1.
pub fn read(file: &str, texel: ScalarKind, format: Option<Format>, dim: Dim) -> anyhow::Result<Texture> {
    let shape = if dim == Dim::Rect { texture::Dim::Rect } else { texture::Dim::D2 };
    let whole = match texel {
        ScalarKind::Int => Format::Rgba8I,
        ScalarKind::Uint => Format::Rgba8Ui,
        _ => Format::Rgba8,
    };
    if let Some((width, height)) = size(file) {
        let format = format.unwrap_or(whole);
        let data = vec![0; width as usize * height as usize * format.bytes()];
        return Ok(Texture::new(shape, format, vec![Level { width, height, depth: 1, data: data.into() }]));
    }
    let (width, height, data) = pixels(file)?;
    let level = Level { width, height, depth: 1, data: data.into() };
    Ok(Texture::new(shape, whole, vec![level]))
}

/// Width, height and pixels of a PNG file: red, green, blue and alpha, rows from the bottom.
pub fn pixels(file: &str) -> anyhow::Result<(u32, u32, Vec<u8>)> {
    let opened = File::open(file).with_context(|| format!("{file} cannot be read"))?;
    let mut decoder = png::Decoder::new(BufReader::new(opened));
    decoder.set_transformations(
        png::Transformations::EXPAND | png::Transformations::STRIP_16 | png::Transformations::ALPHA,
    );
    let mut reader = decoder.read_info().with_context(|| format!("{file} is no PNG file"))?;
    let Some(bytes) = reader.output_buffer_size() else { bail!("{file} is too large") };
    let mut data = vec![0; bytes];
    let info = reader.next_frame(&mut data).with_context(|| format!("{file} cannot be decoded"))?;
    let pixels: Vec<u8> = match info.color_type {
        png::ColorType::Rgba => data[..info.buffer_size()].to_vec(),
        png::ColorType::GrayscaleAlpha => {
            data[..info.buffer_size()].chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect()
        }
        other => bail!("{file} has pixels of the sort {other:?}, which is not understood"),
    };
    Ok((info.width, info.height, flipped(&pixels, info.width as usize * 4)))
}

/// Writes a texture; numbers outside of 0 to 1 are cut.
pub fn save(file: &str, texture: &Texture) -> anyhow::Result<()> {
    let [width, height, _] = texture.size(0);
    let mut pixels = Vec::new();
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let texel = texture.fetch([x, y, 0], [0; 3], 0, 0, &mut ());
        let value = texel.map_or([0.0; 4], texture::Value::float);
        pixels.extend(value.map(|component| (component.clamp(0.0, 1.0) * 255.0).round() as u8));
    }
    write(file, width as u32, height as u32, &pixels)
}

/// Writes red, green, blue and alpha, rows from the bottom.
pub fn write(file: &str, width: u32, height: u32, pixels: &[u8]) -> anyhow::Result<()> {
    let made = File::create(file).with_context(|| format!("{file} cannot be written"))?;
    let mut encoder = png::Encoder::new(BufWriter::new(made), width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().with_context(|| format!("{file} cannot be written"))?;
    writer
        .write_image_data(&flipped(pixels, width as usize * 4))
        .and_then(|()| writer.finish())
        .with_context(|| format!("{file} cannot be written"))
}

/// `320x200`
pub fn size(text: &str) -> Option<(u32, u32)> {
    let (width, height) = text.split_once('x')?;
    let (width, height) = (width.trim().parse().ok()?, height.trim().parse().ok()?);
    (width > 0 && height > 0 && width <= 16384 && height <= 16384).then_some((width, height))
}

/// The format of an image by its name in a layout.
pub fn format(name: &str) -> Option<Format> {
    Format::ALL.iter().copied().find(|format| format.name().eq_ignore_ascii_case(name))
}

fn flipped(pixels: &[u8], row: usize) -> Vec<u8> {
    pixels.chunks_exact(row.max(1)).rev().flatten().copied().collect()
}
