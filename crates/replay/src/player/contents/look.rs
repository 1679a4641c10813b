//! Reads a rectangle of an image, without the rest: pixel histories do so again and again.

use api::{Namespace, constant as c, id};
use device::{ImageOwner, ImageRef, Rectangle};

use super::super::Player;
use super::format::Pixels;
use super::plane::surface_pixels;
use super::{Contents, FACES, NOT_DESKTOP, Purpose, is_sampled};
use crate::ReplayError;

impl Player {
    /// Returns the contents of rectangles of images, or for each why it cannot be read back. The level of a multisampled
    /// image is its number of samples; its contents are those of the first sample, then those of the second, and so on.
    ///
    /// # Errors
    /// When a context cannot be created.
    pub fn look(
        &mut self,
        sights: &[(ImageRef, Rectangle)],
    ) -> Result<Vec<Result<Vec<Contents>, String>>, ReplayError> {
        let mut seen = Vec::new();
        let mut aside: Option<((u32, u32), bool)> = None;
        for (sight, rectangle) in sights {
            let surface = if let ImageOwner::Surface { surface, .. } = sight.of { surface } else { 0 };
            let place = (sight.context, surface);
            let desktop = match aside {
                Some((there, desktop)) if there == place => desktop,
                _ => {
                    if aside.is_none() {
                        // Another context sees the results of draws once they are finished (GL 4.6, 5.3).
                        self.finish();
                    }
                    self.world.step_aside(place.0, place.1)?
                }
            };
            aside = Some((place, desktop));
            seen.push(if desktop { self.look_aside(sight, *rectangle) } else { Err(NOT_DESKTOP.to_owned()) });
        }
        if aside.is_some() {
            self.world.step_back()?;
        }
        Ok(seen)
    }

    fn look_aside(&mut self, sight: &ImageRef, rectangle: Rectangle) -> Result<Vec<Contents>, String> {
        while self.take_error() != 0 {}
        self.own_call(id::glPixelStorei, &[u64::from(c::GL_PACK_ALIGNMENT), 1]);
        let context = sight.context;
        let real = |player: &Player, space, name| {
            player.world.name_in(context, space, name).ok_or_else(|| "it does not exist there".to_owned())
        };
        let contents = match sight.of {
            ImageOwner::Texture { name, target, level, layer } => {
                let real = real(self, Namespace::Texture, name)?;
                if is_sampled(target) {
                    let contents = self.read_sampled_texture(context, name, real, target)?;
                    Ok(contents.iter().map(|contents| cut(contents, layer, rectangle)).collect())
                } else {
                    self.look_at_texture(
                        Contents::empty(context, c::GL_TEXTURE, name, target),
                        real,
                        [level, layer],
                        rectangle,
                    )
                }
            }
            ImageOwner::Renderbuffer { name } => {
                let contents = self.read_renderbuffer(context, name, real(self, Namespace::Renderbuffer, name)?)?;
                Ok(contents.iter().map(|contents| cut(contents, 0, rectangle)).collect())
            }
            ImageOwner::Surface { surface, plane } => self.look_at_surface(context, (surface, plane), rectangle),
        }?;
        match self.take_error() {
            0 => Ok(contents),
            error => Err(format!("the driver refuses to show it (error {error:#06x})")),
        }
    }

    fn look_at_texture(
        &mut self,
        mut contents: Contents,
        real: u32,
        [level, layer]: [u32; 2],
        rectangle: Rectangle,
    ) -> Result<Vec<Contents>, String> {
        let target = contents.target;
        self.own_call(id::glBindTexture, &[u64::from(target), u64::from(real)]);
        let image = match target {
            c::GL_TEXTURE_CUBE_MAP => FACES.get(layer as usize).copied().ok_or("there is no such face")?,
            target => target,
        };
        let pixels = Pixels::of(|what| self.level_parameter(image, level, what))?;
        let attachment = match pixels.format {
            c::GL_DEPTH_STENCIL => c::GL_DEPTH_STENCIL_ATTACHMENT,
            c::GL_DEPTH_COMPONENT => c::GL_DEPTH_ATTACHMENT,
            c::GL_STENCIL_INDEX => c::GL_STENCIL_ATTACHMENT,
            _ => c::GL_COLOR_ATTACHMENT0,
        };
        let framebuffer = self.sampled_framebuffer();
        let reading = u64::from(c::GL_READ_FRAMEBUFFER);
        self.own_call(id::glBindFramebuffer, &[reading, u64::from(framebuffer)]);
        let [place, image, real, wide] = [attachment, image, real, level].map(u64::from);
        match target {
            c::GL_TEXTURE_1D => self.own_call(id::glFramebufferTexture1D, &[reading, place, image, real, wide]),
            c::GL_TEXTURE_2D | c::GL_TEXTURE_RECTANGLE | c::GL_TEXTURE_CUBE_MAP => {
                self.own_call(id::glFramebufferTexture2D, &[reading, place, image, real, wide])
            }
            _ => self.own_call(id::glFramebufferTextureLayer, &[reading, place, real, wide, u64::from(layer)]),
        };
        let colour = if attachment == c::GL_COLOR_ATTACHMENT0 { attachment } else { c::GL_NONE };
        self.own_call(id::glReadBuffer, &[u64::from(colour)]);
        let status = self.own_call(id::glCheckFramebufferStatus, &[reading]) as u32;
        let complete = status == c::GL_FRAMEBUFFER_COMPLETE;
        if complete {
            contents.bytes = self.read_rectangle(rectangle, pixels);
        }
        self.drop_framebuffer(framebuffer);
        if !complete {
            // Not every format can be drawn to.
            while self.take_error() != 0 {}
            let all = self.read_texture((contents.context, contents.name), real as u32, target, Purpose::Look)?;
            let same = |contents: &&Contents| {
                contents.level == level && (target != c::GL_TEXTURE_CUBE_MAP || contents.target == image as u32)
            };
            let found = all.iter().find(same).ok_or("there is no such image")?;
            let slice = if target == c::GL_TEXTURE_CUBE_MAP { 0 } else { layer };
            return Ok(vec![cut(found, slice, rectangle)]);
        }
        contents.level = 0;
        contents.size = [rectangle[2], rectangle[3], 1];
        Ok(vec![contents.in_form(pixels)])
    }

    fn look_at_surface(
        &mut self,
        context: u32,
        (surface, plane): (u32, u32),
        rectangle: Rectangle,
    ) -> Result<Vec<Contents>, String> {
        let request = self.world.surface_request(surface).ok_or("there is no such surface")?;
        if request.samples > 1 {
            let contents = self.read_surface(context, surface, plane)?;
            return Ok(contents.iter().map(|contents| cut(contents, 0, rectangle)).collect());
        }
        let pixels = surface_pixels(plane, &request);
        self.own_call(id::glReadBuffer, &[u64::from(c::GL_BACK)]);
        let mut contents = Contents::empty(context, c::GL_FRAMEBUFFER_DEFAULT, surface, plane);
        contents.size = [rectangle[2], rectangle[3], 1];
        contents.bytes = self.read_rectangle(rectangle, pixels);
        Ok(vec![contents.in_form(pixels)])
    }
}

/// Returns a rectangle of a layer of whole contents, with all samples one after the other.
fn cut(contents: &Contents, layer: u32, [left, bottom, width, height]: Rectangle) -> Contents {
    let [wide, high, deep] = contents.size.map(|side| side as usize);
    let samples = if deep > 0 && contents.level > 0 && contents.kind != c::GL_TEXTURE || is_sampled(contents.target) {
        (contents.level as usize).max(1)
    } else {
        1
    };
    let texels = wide * high * deep * samples;
    let size = contents.bytes.len().checked_div(texels).unwrap_or(0);
    let mut bytes = Vec::with_capacity(width as usize * height as usize * samples * size);
    for sample in 0..samples {
        let image = (layer as usize * samples + sample) * wide * high;
        for row in bottom as usize..(bottom + height) as usize {
            for column in left as usize..(left + width) as usize {
                let from = (image + row * wide + column) * size;
                let inside = row < high && column < wide;
                match contents.bytes.get(from..from + size).filter(|_| inside) {
                    Some(texel) => bytes.extend_from_slice(texel),
                    None => bytes.resize(bytes.len() + size, 0),
                }
            }
        }
    }
    let level = if samples > 1 { samples as u32 } else { 0 };
    Contents { level, size: [width, height, 1], bytes, ..contents.clone() }
}
