//! Parameters of textures and samplers.

use api::{constant as c, id};

use super::super::Table;
use super::which::{Form, TextureSelection, locate};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::sampler::Sampling;
use crate::objects::texture::{Target, Texture};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glTexParameterf], |step| set(step, Form::Bound, ParameterValue::scalar_float));
    table.on(&[id::glTexParameterfv], |step| set(step, Form::Bound, ParameterValue::floats));
    table.on(&[id::glTexParameteri], |step| set(step, Form::Bound, ParameterValue::scalar_int));
    table.on(&[id::glTexParameteriv], |step| set(step, Form::Bound, ParameterValue::ints));
    table.on(&[id::glTexParameterx, id::glTexParameterxOES], |step| {
        set(step, Form::Bound, ParameterValue::scalar_fixed)
    });
    table.on(&[id::glTexParameterxv, id::glTexParameterxvOES], |step| set(step, Form::Bound, ParameterValue::fixeds));
    table.on(&[id::glTexParameterIiv, id::glTexParameterIivEXT, id::glTexParameterIivOES], |step| {
        set(step, Form::Bound, ParameterValue::pure_ints)
    });
    table.on(&[id::glTexParameterIuiv, id::glTexParameterIuivEXT, id::glTexParameterIuivOES], |step| {
        set(step, Form::Bound, ParameterValue::pure_ints)
    });
    table.on(&[id::glTextureParameterf], |step| set(step, Form::Named, ParameterValue::scalar_float));
    table.on(&[id::glTextureParameterfv], |step| set(step, Form::Named, ParameterValue::floats));
    table.on(&[id::glTextureParameteri], |step| set(step, Form::Named, ParameterValue::scalar_int));
    table.on(&[id::glTextureParameteriv], |step| set(step, Form::Named, ParameterValue::ints));
    table.on(&[id::glTextureParameterIiv], |step| set(step, Form::Named, ParameterValue::pure_ints));
    table.on(&[id::glTextureParameterIuiv], |step| set(step, Form::Named, ParameterValue::pure_ints));
    table.on(&[id::glTextureParameterfEXT], |step| set(step, Form::NamedTarget, ParameterValue::scalar_float));
    table.on(&[id::glTextureParameterfvEXT], |step| set(step, Form::NamedTarget, ParameterValue::floats));
    table.on(&[id::glTextureParameteriEXT], |step| set(step, Form::NamedTarget, ParameterValue::scalar_int));
    table.on(&[id::glTextureParameterivEXT], |step| set(step, Form::NamedTarget, ParameterValue::ints));
    table.on(&[id::glTextureParameterIivEXT], |step| set(step, Form::NamedTarget, ParameterValue::pure_ints));
    table.on(&[id::glTextureParameterIuivEXT], |step| set(step, Form::NamedTarget, ParameterValue::pure_ints));
    table.on(&[id::glMultiTexParameterfEXT], |step| set(step, Form::UnitTarget, ParameterValue::scalar_float));
    table.on(&[id::glMultiTexParameterfvEXT], |step| set(step, Form::UnitTarget, ParameterValue::floats));
    table.on(&[id::glMultiTexParameteriEXT], |step| set(step, Form::UnitTarget, ParameterValue::scalar_int));
    table.on(&[id::glMultiTexParameterivEXT], |step| set(step, Form::UnitTarget, ParameterValue::ints));
    table.on(&[id::glMultiTexParameterIivEXT], |step| set(step, Form::UnitTarget, ParameterValue::pure_ints));
    table.on(&[id::glMultiTexParameterIuivEXT], |step| set(step, Form::UnitTarget, ParameterValue::pure_ints));
}

/// The value of a parameter, in the type of the command.
#[derive(Clone, Copy, Debug)]
pub enum ParameterValue {
    /// One float.
    Float(f32),
    /// Up to four floats.
    Floats([f32; 4]),
    /// One integer.
    Int(i32),
    /// Up to four integers; colours among them are normalized.
    Ints([i32; 4]),
    /// Up to four integers, also for colours.
    PureInts([i32; 4]),
}

impl ParameterValue {
    pub fn scalar_float(step: &Step<'_>, at: usize) -> ParameterValue {
        ParameterValue::Float(step.float(at))
    }

    pub fn scalar_int(step: &Step<'_>, at: usize) -> ParameterValue {
        ParameterValue::Int(step.int(at))
    }

    pub fn floats(step: &Step<'_>, at: usize) -> ParameterValue {
        ParameterValue::Floats(words(step, at).map(f32::from_bits))
    }

    pub fn ints(step: &Step<'_>, at: usize) -> ParameterValue {
        ParameterValue::Ints(words(step, at).map(u32::cast_signed))
    }

    pub fn pure_ints(step: &Step<'_>, at: usize) -> ParameterValue {
        ParameterValue::PureInts(words(step, at).map(u32::cast_signed))
    }

    /// Returns a fixed-point number of OpenGL ES 1: parameters that are not enums are 16.16.
    fn scalar_fixed(step: &Step<'_>, at: usize) -> ParameterValue {
        fixed(step.name(at - 1), [step.int(at), 0, 0, 0])
    }

    fn fixeds(step: &Step<'_>, at: usize) -> ParameterValue {
        fixed(step.name(at - 1), words(step, at).map(u32::cast_signed))
    }

    /// Returns whether there is only one number.
    fn is_scalar(self) -> bool {
        matches!(self, ParameterValue::Float(_) | ParameterValue::Int(_))
    }

    /// Returns the first number as an integer; a single float is rounded if `rounding`, else truncated.
    pub fn int(self, rounding: bool) -> i32 {
        match self {
            ParameterValue::Float(number) if rounding => number.round() as i32,
            ParameterValue::Float(number) | ParameterValue::Floats([number, ..]) => number as i32,
            ParameterValue::Int(number)
            | ParameterValue::Ints([number, ..])
            | ParameterValue::PureInts([number, ..]) => number,
        }
    }

    /// Returns the first number as a float.
    pub fn float(self) -> f32 {
        match self {
            ParameterValue::Float(number) | ParameterValue::Floats([number, ..]) => number,
            ParameterValue::Int(number)
            | ParameterValue::Ints([number, ..])
            | ParameterValue::PureInts([number, ..]) => number as f32,
        }
    }

    /// Returns all numbers as integers.
    fn all_ints(self) -> [i32; 4] {
        match self {
            ParameterValue::Float(number) => [number as i32, 0, 0, 0],
            ParameterValue::Floats(numbers) => numbers.map(|number| number as i32),
            ParameterValue::Int(number) => [number, 0, 0, 0],
            ParameterValue::Ints(numbers) | ParameterValue::PureInts(numbers) => numbers,
        }
    }

    /// Returns a border colour as bits; `None` when there is only one number.
    pub fn border(self) -> Option<[u32; 4]> {
        match self {
            ParameterValue::Float(_) | ParameterValue::Int(_) => None,
            ParameterValue::Floats(numbers) => Some(numbers.map(f32::to_bits)),
            // Signed normalized integers as before GL 4.2, which cannot represent zero.
            ParameterValue::Ints(numbers) => Some(numbers.map(|number| {
                let exact = (2.0 * f64::from(number) + 1.0) * (1.0 / 4_294_967_294.0);
                (exact as f32).to_bits()
            })),
            ParameterValue::PureInts(numbers) => Some(numbers.map(i32::cast_unsigned)),
        }
    }
}

fn fixed(pname: u32, numbers: [i32; 4]) -> ParameterValue {
    match pname {
        c::GL_TEXTURE_MAX_ANISOTROPY => ParameterValue::Float(numbers[0] as f32 / 65536.0),
        _ => ParameterValue::Ints(numbers),
    }
}

fn words(step: &Step<'_>, at: usize) -> [u32; 4] {
    let mut words = [0; 4];
    if let Some(bytes) = step.input(at as u8) {
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes(bytes.try_into().unwrap_or_default());
        }
    }
    words
}

const NO_PARAMETER: Fault = Fault::invalid_enum("invalid parameter");
const NO_SUCH_VALUE: Fault = Fault::invalid_enum("invalid value of the parameter");

fn set(step: &mut Step<'_>, form: Form, given: fn(&Step<'_>, usize) -> ParameterValue) -> Done {
    let place = locate(step, form, false, form == Form::NamedTarget)?;
    let (pname, given) = (step.name(form.arguments()), given(step, form.arguments() + 1));
    if place.target == Target::Buffer {
        let direct = Fault::invalid_operation("buffer textures have no parameters");
        let by_name = matches!(form, Form::Named | Form::NamedTarget);
        return Err(if by_name { direct } else { Fault::invalid_enum(direct.why) });
    }
    if form != Form::Bound && place.target == Target::External {
        return Err(Fault::invalid_operation("invalid parameter of an external texture"));
    }
    set_parameter(step, place, pname, given, form.is_direct())
}

fn set_parameter(
    step: &mut Step<'_>,
    place: TextureSelection,
    pname: u32,
    given: ParameterValue,
    direct: bool,
) -> Done {
    if given.is_scalar() && matches!(pname, c::GL_TEXTURE_BORDER_COLOR | c::GL_TEXTURE_SWIZZLE_RGBA) {
        return Err(Fault::invalid_enum("the parameter has more than one value"));
    }
    let facts = step.context.facts.clone();
    // A hint for ANGLE's renderers that changes no result.
    if pname == c::GL_TEXTURE_USAGE_ANGLE && facts.has("GL_ANGLE_texture_usage") {
        return Ok(());
    }
    let Some(texture) = step.group.texture(place.bound) else { return Ok(()) };
    if place.target.is_multisample() && is_sampling(pname) {
        let fault = Fault::invalid_operation("multisample textures have no sampler state");
        let always = pname == c::GL_TEXTURE_BORDER_COLOR && !matches!(given, ParameterValue::PureInts(_));
        return Err(if direct && !always { fault } else { Fault::invalid_enum(fault.why) });
    }
    let mut sampling = texture.sampling.clone();
    if set_sampling(&mut sampling, &facts, Owner::Texture(place.target), pname, given)? {
        if texture.sampling != sampling
            && let Some(texture) = step.group.texture_mut(place.bound)
        {
            texture.sampling = sampling;
        }
        return Ok(());
    }
    check_own(texture, &facts, place.target, pname, given)?;
    if let Some(texture) = step.group.texture_mut(place.bound) {
        set_own(texture, pname, given);
    }
    // Unlike other commands, this one sets the components before the first invalid one.
    let valid = |number: i32| SWIZZLES.contains(&number.cast_unsigned());
    if pname == c::GL_TEXTURE_SWIZZLE_RGBA && !given.all_ints().into_iter().all(valid) {
        return Err(NO_SUCH_VALUE);
    }
    Ok(())
}

const SWIZZLES: &[u32] = &[c::GL_RED, c::GL_GREEN, c::GL_BLUE, c::GL_ALPHA, c::GL_ZERO, c::GL_ONE];

/// Returns whether samplers have a parameter.
fn is_sampling(pname: u32) -> bool {
    matches!(
        pname,
        c::GL_TEXTURE_MIN_FILTER
            | c::GL_TEXTURE_MAG_FILTER
            | c::GL_TEXTURE_WRAP_S
            | c::GL_TEXTURE_WRAP_T
            | c::GL_TEXTURE_WRAP_R
            | c::GL_TEXTURE_BORDER_COLOR
            | c::GL_TEXTURE_MIN_LOD
            | c::GL_TEXTURE_MAX_LOD
            | c::GL_TEXTURE_LOD_BIAS
            | c::GL_TEXTURE_MAX_ANISOTROPY
            | c::GL_TEXTURE_COMPARE_MODE
            | c::GL_TEXTURE_COMPARE_FUNC
            | c::GL_TEXTURE_CUBE_MAP_SEAMLESS
            | c::GL_TEXTURE_SRGB_DECODE_EXT
            | c::GL_TEXTURE_REDUCTION_MODE_EXT
    )
}

/// The object whose parameters are set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// A sampler.
    Sampler,
    /// A texture of this target.
    Texture(Target),
}

/// Sets a parameter that samplers and textures have; returns whether it is one.
pub fn set_sampling(
    sampling: &mut Sampling,
    facts: &Facts,
    owner: Owner,
    pname: u32,
    given: ParameterValue,
) -> Result<bool, Fault> {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let es3 = desktop || facts.es(3, 0);
    let of_texture = owner != Owner::Sampler;
    let int = given.int(of_texture);
    let name = int.cast_unsigned();
    let pick = |list: &[u32]| if list.contains(&name) { Ok(name) } else { Err(NO_SUCH_VALUE) };
    match pname {
        c::GL_TEXTURE_MIN_FILTER => {
            let flat = matches!(owner, Owner::Texture(Target::Rectangle | Target::External));
            sampling.min_filter = pick(if flat { &MIN_FILTERS[..2] } else { MIN_FILTERS })?;
        }
        c::GL_TEXTURE_MAG_FILTER => sampling.mag_filter = pick(&MIN_FILTERS[..2])?,
        c::GL_TEXTURE_WRAP_S | c::GL_TEXTURE_WRAP_T | c::GL_TEXTURE_WRAP_R => {
            let axis = match pname {
                c::GL_TEXTURE_WRAP_S => 0,
                c::GL_TEXTURE_WRAP_T => 1,
                _ => 2,
            };
            if !wraps(facts, owner, name) {
                return Err(NO_SUCH_VALUE);
            }
            sampling.wrap[axis] = name;
        }
        c::GL_TEXTURE_BORDER_COLOR if facts.client != Client::Es1 => {
            sampling.border = given.border().ok_or(NO_PARAMETER)?;
        }
        c::GL_TEXTURE_MIN_LOD if es3 => sampling.min_lod = given.float(),
        c::GL_TEXTURE_MAX_LOD if es3 => sampling.max_lod = given.float(),
        c::GL_TEXTURE_LOD_BIAS if desktop || !of_texture => sampling.lod_bias = given.float(),
        c::GL_TEXTURE_MAX_ANISOTROPY if anisotropic(facts) => {
            if given.float() < 1.0 {
                return Err(Fault::invalid_value("the anisotropy is less than 1"));
            }
            let most = facts.limits.integer(c::GL_MAX_TEXTURE_MAX_ANISOTROPY, 16) as f32;
            sampling.max_anisotropy = given.float().min(most);
        }
        c::GL_TEXTURE_COMPARE_MODE if es3 => {
            sampling.compare_mode = pick(&[c::GL_NONE, c::GL_COMPARE_REF_TO_TEXTURE])?;
        }
        c::GL_TEXTURE_COMPARE_FUNC if es3 => sampling.compare_func = pick(COMPARISONS)?,
        c::GL_TEXTURE_CUBE_MAP_SEAMLESS if desktop => {
            if of_texture && name > 1 {
                return Err(NO_SUCH_VALUE);
            }
            if name & 0xFF > 1 {
                return Err(Fault::invalid_value("the value for seamless cube maps must be 0 or 1"));
            }
            sampling.seamless = name & 0xFF == 1;
        }
        c::GL_TEXTURE_SRGB_DECODE_EXT if facts.has("GL_EXT_texture_sRGB_decode") => {
            sampling.srgb_decode = pick(&[c::GL_DECODE_EXT, c::GL_SKIP_DECODE_EXT])?;
        }
        c::GL_TEXTURE_REDUCTION_MODE_EXT
            if facts.has("GL_EXT_texture_filter_minmax") || facts.has("GL_ARB_texture_filter_minmax") =>
        {
            sampling.reduction = pick(&[c::GL_WEIGHTED_AVERAGE_EXT, c::GL_MIN, c::GL_MAX])?;
        }
        _ if is_sampling(pname) => return Err(NO_PARAMETER),
        _ => return Ok(false),
    }
    Ok(true)
}

const MIN_FILTERS: &[u32] = &[
    c::GL_NEAREST,
    c::GL_LINEAR,
    c::GL_NEAREST_MIPMAP_NEAREST,
    c::GL_LINEAR_MIPMAP_NEAREST,
    c::GL_NEAREST_MIPMAP_LINEAR,
    c::GL_LINEAR_MIPMAP_LINEAR,
];

const COMPARISONS: &[u32] =
    &[c::GL_NEVER, c::GL_LESS, c::GL_EQUAL, c::GL_LEQUAL, c::GL_GREATER, c::GL_NOTEQUAL, c::GL_GEQUAL, c::GL_ALWAYS];

/// Returns whether anisotropic filtering is supported.
pub fn anisotropic(facts: &Facts) -> bool {
    facts.desktop(4, 6) || facts.has("GL_EXT_texture_filter_anisotropic")
}

/// Returns whether a wrap mode exists, for a texture or a sampler.
fn wraps(facts: &Facts, owner: Owner, mode: u32) -> bool {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let (rectangle, external) = match owner {
        Owner::Sampler => (false, false),
        Owner::Texture(target) => (target == Target::Rectangle, target == Target::External),
    };
    let flat = rectangle || external;
    let mirror = facts.has("GL_EXT_texture_mirror_clamp") || facts.has("GL_ATI_texture_mirror_once");
    // Mesa does not check the API for samplers.
    let open = desktop || owner == Owner::Sampler;
    match mode {
        c::GL_CLAMP => facts.client == Client::Compatibility && !external,
        c::GL_CLAMP_TO_EDGE => true,
        c::GL_CLAMP_TO_BORDER => facts.client != Client::Es1 && !external,
        c::GL_REPEAT | c::GL_MIRRORED_REPEAT => !flat,
        c::GL_MIRROR_CLAMP_EXT | c::GL_MIRROR_CLAMP_TO_BORDER_EXT => open && (mirror || !desktop) && !flat,
        c::GL_MIRROR_CLAMP_TO_EDGE => {
            !flat
                && (mirror
                    || facts.desktop(4, 4)
                    || facts.has("GL_ARB_texture_mirror_clamp_to_edge")
                    || facts.has("GL_EXT_texture_mirror_clamp_to_edge")
                    || owner == Owner::Sampler)
        }
        _ => false,
    }
}

/// Checks a parameter that only textures have.
fn check_own(texture: &Texture, facts: &Facts, target: Target, pname: u32, given: ParameterValue) -> Done {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let es3 = desktop || facts.es(3, 0);
    let fixed = matches!(facts.client, Client::Compatibility | Client::Es1);
    let int = given.int(true);
    match pname {
        c::GL_TEXTURE_BASE_LEVEL if es3 => {
            if (target.is_multisample() || target == Target::Rectangle) && int != 0 && int != texture.base_level {
                return Err(Fault::invalid_operation("the texture has only level 0"));
            }
            if int < 0 { Err(Fault::invalid_value("the level is negative")) } else { Ok(()) }
        }
        c::GL_TEXTURE_MAX_LEVEL => {
            let one = target == Target::Rectangle && int > 0 && int != texture.max_level;
            if int < 0 || one { Err(Fault::invalid_value("the level is negative or too large")) } else { Ok(()) }
        }
        c::GL_GENERATE_MIPMAP if fixed => {
            let wrong = int != 0 && target == Target::External;
            if wrong { Err(NO_SUCH_VALUE) } else { Ok(()) }
        }
        c::GL_DEPTH_TEXTURE_MODE if facts.client == Client::Compatibility => {
            let modes = [c::GL_LUMINANCE, c::GL_INTENSITY, c::GL_ALPHA, c::GL_RED];
            if modes.contains(&int.cast_unsigned()) { Ok(()) } else { Err(NO_SUCH_VALUE) }
        }
        c::GL_DEPTH_STENCIL_TEXTURE_MODE
            if facts.desktop(4, 3) || facts.es(3, 1) || facts.has("GL_ARB_stencil_texturing") =>
        {
            let modes = [c::GL_STENCIL_INDEX, c::GL_DEPTH_COMPONENT];
            if modes.contains(&int.cast_unsigned()) { Ok(()) } else { Err(NO_SUCH_VALUE) }
        }
        c::GL_TEXTURE_CROP_RECT_OES if facts.client == Client::Es1 => Ok(()),
        c::GL_TEXTURE_SWIZZLE_R | c::GL_TEXTURE_SWIZZLE_G | c::GL_TEXTURE_SWIZZLE_B | c::GL_TEXTURE_SWIZZLE_A
            if es3 =>
        {
            if SWIZZLES.contains(&int.cast_unsigned()) {
                Ok(())
            } else {
                Err(NO_SUCH_VALUE)
            }
        }
        c::GL_TEXTURE_SWIZZLE_RGBA if es3 => Ok(()),
        c::GL_TEXTURE_PRIORITY if facts.client == Client::Compatibility => Ok(()),
        c::GL_TEXTURE_TILING_EXT if facts.has("GL_EXT_memory_object") && !texture.immutable => Ok(()),
        _ => Err(NO_PARAMETER),
    }
}

/// Sets a checked parameter that only textures have.
fn set_own(texture: &mut Texture, pname: u32, given: ParameterValue) {
    let int = given.int(true);
    match pname {
        // Levels of immutable textures are clamped (GL 4.6, 8.14.3); Mesa does so when they are set.
        c::GL_TEXTURE_BASE_LEVEL => {
            texture.base_level = if texture.immutable && int != texture.base_level {
                int.min(texture.immutable_levels - 1)
            } else {
                int
            };
        }
        c::GL_TEXTURE_MAX_LEVEL => {
            texture.max_level = if texture.immutable && int != texture.max_level {
                int.min(texture.immutable_levels - 1).max(texture.base_level)
            } else {
                int
            };
        }
        c::GL_GENERATE_MIPMAP => texture.generate_mipmap = int != 0,
        c::GL_DEPTH_TEXTURE_MODE => texture.depth_mode = int.cast_unsigned(),
        c::GL_DEPTH_STENCIL_TEXTURE_MODE => texture.depth_stencil_mode = int.cast_unsigned(),
        c::GL_TEXTURE_CROP_RECT_OES => texture.crop = given.all_ints(),
        c::GL_TEXTURE_SWIZZLE_RGBA => {
            for (swizzle, number) in texture.swizzle.iter_mut().zip(given.all_ints()) {
                if !SWIZZLES.contains(&number.cast_unsigned()) {
                    break;
                }
                *swizzle = number.cast_unsigned();
            }
        }
        c::GL_TEXTURE_PRIORITY => texture.priority = given.float().clamp(0.0, 1.0),
        c::GL_TEXTURE_TILING_EXT => texture.tiling = int.cast_unsigned(),
        _ => texture.swizzle[(pname - c::GL_TEXTURE_SWIZZLE_R) as usize & 3] = int.cast_unsigned(),
    }
}
