//! Values that the user overrides (what-if).

use pipeline::{Program, Target};
use shader::types::{Scalar, Type};
use state::View;
use texture::{Dim, Filter, Format, Level, MipFilter, Sampler, Texture};

use crate::{Scene, sampling};

impl Scene {
    /// Makes a sampler of 2D textures read a picture (8-bit RGBA), as if it were bound to its unit: with the unit's
    /// sampler object or, if there is none, with linear filtering and repeat. Names of samplers that these shaders do
    /// not use are ignored.
    ///
    /// # Errors
    /// When the name is not a sampler of 2D textures: the reason.
    pub fn replace_texture(
        &mut self,
        view: &View<'_>,
        name: &str,
        [width, height]: [u32; 2],
        rgba: &[u8],
    ) -> Result<(), String> {
        let Some(info) = self.program.uniform(name) else { return Ok(()) };
        let target = match info.ty {
            Type::Opaque(opaque) => Target::of(&opaque),
            _ => return Err(format!("{name} is not a sampler")),
        };
        if target != Target::D2 {
            return Err(format!("{name} is not a sampler2D, so it cannot read a picture"));
        }
        let number = self.program.uniform_value(name).and_then(|words| words.first()).copied().unwrap_or(0);
        let format = Format::from_gl(api::constant::GL_RGBA8).ok_or("GL_RGBA8 is not supported")?;
        let level = Level { width, height, depth: 1, data: rgba.to_vec().into() };
        let texture = Texture::new(Dim::D2, format, vec![level]);
        let unit = view.context.units.units.get(number as usize);
        let object = unit.filter(|unit| unit.sampler.name != 0).and_then(|unit| {
            let sampler = view.group.samplers.get(&unit.sampler.name)?;
            let bias = view.context.fixed.lod_bias.get(number as usize).copied().unwrap_or(0.0);
            Some(sampling::sampler(&sampler.sampling, texture.class(), bias, false, self.quirks.filtering))
        });
        let filtering = self.quirks.filtering;
        let plain =
            Sampler { min_filter: Filter::Linear, mip_filter: MipFilter::None, filtering, ..Sampler::default() };
        let id = self.state.add_texture(texture);
        self.state.units.insert((number, target), (id, object.unwrap_or(plain)));
        Ok(())
    }
}

/// Sets a uniform, or the first elements of an array, from numbers: matrices by columns, arrays by elements. Names of
/// uniforms that these shaders do not use are ignored.
///
/// # Errors
/// When the numbers do not fit the uniform: the reason.
pub fn set_uniform(program: &mut Program, name: &str, numbers: &[f64]) -> Result<(), String> {
    let Some(info) = program.uniform(name) else { return Ok(()) };
    let scalar = match info.ty {
        Type::Opaque(_) => Scalar::Int,
        ty => ty.scalar().ok_or_else(|| format!("uniform {name} is a structure; name one of its members"))?,
    };
    let components = (info.words / (1 + u32::from(scalar.is_64_bit()))).max(1) as usize;
    let most = components * info.elements as usize;
    if numbers.is_empty() || !numbers.len().is_multiple_of(components) || numbers.len() > most {
        return Err(format!("uniform {name} takes {components} numbers, not {}", numbers.len()));
    }
    let words: Vec<u32> = numbers.iter().flat_map(|&number| words(scalar, number)).collect();
    program.set_uniform(name, &words);
    Ok(())
}

/// The words of a number.
fn words(scalar: Scalar, number: f64) -> Vec<u32> {
    let two = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
    match scalar {
        Scalar::Bool => vec![u32::from(number != 0.0)],
        Scalar::Int => vec![(number as i32).cast_unsigned()],
        Scalar::Uint => vec![number as u32],
        Scalar::Float => vec![(number as f32).to_bits()],
        Scalar::Double => two(number.to_bits()),
        Scalar::Int64 => two((number as i64).cast_unsigned()),
        Scalar::Uint64 => two(number as u64),
    }
}

#[cfg(test)]
mod tests {
    use shader::version::{Options, Stage};

    use super::*;

    fn program() -> Program {
        let text = "#version 330\nuniform vec2 tint; uniform int mode[2]; uniform bool on; out vec4 colour;
            void main() { colour = on ? vec4(tint, mode[0], mode[1]) : vec4(0); }";
        let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
        Program::new(vec![shader], &Default::default()).expect("it links")
    }

    #[test]
    fn numbers_are_converted_to_the_uniforms_type() {
        let mut program = program();
        set_uniform(&mut program, "tint", &[0.5, 2.0]).expect("two");
        set_uniform(&mut program, "mode", &[-1.0, 7.0]).expect("two elements");
        set_uniform(&mut program, "mode[1]", &[9.0]).expect("one element");
        set_uniform(&mut program, "on", &[3.0]).expect("one");
        set_uniform(&mut program, "unused", &[1.0]).expect("uniforms of other shaders are ignored");
        assert_eq!(program.uniform_value("tint"), Some(&[0.5f32.to_bits(), 2f32.to_bits()][..]));
        assert_eq!(program.uniform_value("mode"), Some(&[u32::MAX, 9][..]));
        assert_eq!(program.uniform_value("on").map(|words| words[0] != 0), Some(true));
        let wrong = set_uniform(&mut program, "tint", &[1.0]);
        assert_eq!(wrong, Err("uniform tint takes 2 numbers, not 1".to_owned()));
    }
}
