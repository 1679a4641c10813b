//! Sampler state: converts the model's values to the types of crate `texture`.

use api::constant as c;
use state::objects::sampler::Sampling;
use texture::{Class, Compare, Filter, Filtering, MipFilter, Sampler, Swizzle, Value, Wrap};

/// A sampler; `bias` is the texture unit's, `seamless` the context's setting for cube maps.
pub fn sampler(sampling: &Sampling, class: Class, bias: f32, seamless: bool, filtering: Filtering) -> Sampler {
    let (min_filter, mip_filter) = minification(sampling.min_filter);
    Sampler {
        min_filter,
        mag_filter: if sampling.mag_filter == c::GL_NEAREST { Filter::Nearest } else { Filter::Linear },
        mip_filter,
        wrap: sampling.wrap.map(wrap),
        border: match class {
            Class::Float => Value::Float(sampling.border.map(f32::from_bits)),
            Class::Int => Value::Int(sampling.border.map(u32::cast_signed)),
            Class::Uint => Value::Uint(sampling.border),
        },
        lod_bias: sampling.lod_bias + bias,
        min_lod: sampling.min_lod,
        max_lod: sampling.max_lod,
        compare: (sampling.compare_mode == c::GL_COMPARE_REF_TO_TEXTURE).then(|| compare(sampling.compare_func)),
        max_anisotropy: sampling.max_anisotropy,
        seamless_cube: seamless || sampling.seamless,
        decode_srgb: sampling.srgb_decode != c::GL_SKIP_DECODE_EXT,
        filtering,
        bound: None,
    }
}

fn minification(name: u32) -> (Filter, MipFilter) {
    match name {
        c::GL_NEAREST => (Filter::Nearest, MipFilter::None),
        c::GL_LINEAR => (Filter::Linear, MipFilter::None),
        c::GL_NEAREST_MIPMAP_NEAREST => (Filter::Nearest, MipFilter::Nearest),
        c::GL_LINEAR_MIPMAP_NEAREST => (Filter::Linear, MipFilter::Nearest),
        c::GL_LINEAR_MIPMAP_LINEAR => (Filter::Linear, MipFilter::Linear),
        // The initial value.
        _ => (Filter::Nearest, MipFilter::Linear),
    }
}

fn wrap(name: u32) -> Wrap {
    match name {
        c::GL_MIRRORED_REPEAT => Wrap::MirroredRepeat,
        c::GL_CLAMP_TO_EDGE => Wrap::ClampToEdge,
        c::GL_CLAMP_TO_BORDER => Wrap::ClampToBorder,
        c::GL_MIRROR_CLAMP_TO_EDGE => Wrap::MirrorClampToEdge,
        c::GL_CLAMP => Wrap::Clamp,
        _ => Wrap::Repeat,
    }
}

fn compare(name: u32) -> Compare {
    match name {
        c::GL_NEVER => Compare::Never,
        c::GL_LESS => Compare::Less,
        c::GL_EQUAL => Compare::Equal,
        c::GL_GREATER => Compare::Greater,
        c::GL_NOTEQUAL => Compare::NotEqual,
        c::GL_GEQUAL => Compare::GreaterEqual,
        c::GL_ALWAYS => Compare::Always,
        _ => Compare::LessEqual,
    }
}

/// A texture's swizzle combined with the depth texture mode (GL 4.6 compatibility, 8.23.1).
pub fn swizzle(names: [u32; 4], depth_mode: Option<u32>) -> [Swizzle; 4] {
    let [zero, one, red] = [Swizzle::Zero, Swizzle::One, Swizzle::Red];
    let given = match depth_mode {
        Some(c::GL_LUMINANCE) => [red, red, red, one],
        Some(c::GL_INTENSITY) => [red; 4],
        Some(c::GL_ALPHA) => [zero, zero, zero, red],
        _ => Swizzle::IDENTITY,
    };
    names.map(|name| match name {
        c::GL_RED => given[0],
        c::GL_GREEN => given[1],
        c::GL_BLUE => given[2],
        c::GL_ALPHA => given[3],
        c::GL_ONE => one,
        _ => zero,
    })
}
