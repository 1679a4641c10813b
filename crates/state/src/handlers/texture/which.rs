//! Finds the texture that a command is about: there are four ways to identify it.

use std::sync::Arc;

use api::constant as c;

use crate::answer::View;
use crate::context::Context;
use crate::fault::Fault;
use crate::objects::texture::{Bound, Target, Texture, default_object};
use crate::share::ShareGroup;
use crate::step::Step;

/// How a command identifies a texture; its other arguments follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// By a target of the active unit.
    Bound,
    /// By name.
    Named,
    /// By name and target (`EXT_direct_state_access`); the texture is created if needed.
    NamedTarget,
    /// By unit and target (`EXT_direct_state_access`).
    UnitTarget,
}

/// A texture that was found.
#[derive(Clone, Copy, Debug)]
pub struct TextureSelection {
    /// The texture.
    pub bound: Bound,
    /// Its target.
    pub target: Target,
    /// The target as named: it may be a face or a proxy.
    pub named: u32,
    /// Whether it is the proxy of the target.
    pub proxy: bool,
}

impl Form {
    /// Returns the number of arguments that identify the texture.
    pub fn arguments(self) -> usize {
        match self {
            Form::Bound | Form::Named => 1,
            Form::NamedTarget | Form::UnitTarget => 2,
        }
    }

    /// Returns whether the binding is not used.
    pub fn is_direct(self) -> bool {
        self != Form::Bound
    }
}

impl TextureSelection {
    /// Returns the number of the named face.
    pub fn face(&self) -> u32 {
        Target::with_face(self.named).map_or(0, |(_, face)| face)
    }

    /// Returns the texture, or the proxy.
    pub fn texture<'a>(&self, context: &'a Context, group: &'a ShareGroup) -> Option<&'a Texture> {
        if self.proxy { context.units.proxies.get(self.target as usize) } else { group.texture(self.bound) }
    }

    /// Returns the texture, or the proxy, for modification.
    pub fn texture_mut<'a>(&self, context: &'a mut Context, group: &'a mut ShareGroup) -> Option<&'a mut Texture> {
        if self.proxy {
            Arc::make_mut(&mut context.units.proxies).get_mut(self.target as usize)
        } else {
            group.texture_mut(self.bound)
        }
    }
}

const NO_TARGET: Fault = Fault::invalid_enum("invalid target");
/// The fault for a texture whose name was never bound.
pub const NO_TARGET_YET: Fault = Fault::invalid_operation("the texture has no target yet");
const NO_TEXTURE: Fault = Fault::invalid_operation("no texture has this name");

/// Returns the fault for an unknown target, for commands that check the target later.
pub fn late(fault: Fault) -> Fault {
    if fault == NO_TARGET_YET { Fault::invalid_enum(fault.why) } else { fault }
}

/// Finds the texture of a command. `proxies` allows proxies, `faces` allows faces of cube maps.
pub fn locate(step: &mut Step<'_>, form: Form, proxies: bool, faces: bool) -> Result<TextureSelection, Fault> {
    match form {
        Form::Bound => {
            let (context, named) = (&*step.context, step.name(0));
            bound(context, context.active_unit(), named, proxies, faces)
        }
        Form::UnitTarget => {
            let unit = step.name(0).wrapping_sub(c::GL_TEXTURE0);
            bound(step.context, unit, step.name(1), proxies, faces)
        }
        Form::Named => named(step.group, step.name(0)),
        Form::NamedTarget => named_target(step, step.name(0), step.name(1), proxies, faces),
    }
}

/// Finds the texture of a query, which creates nothing.
pub fn locate_in(
    view: &View<'_>,
    form: Form,
    args: &[u64],
    proxies: bool,
    faces: bool,
) -> Result<TextureSelection, Fault> {
    let argument = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    match form {
        Form::Bound => bound(view.context, view.context.active_unit(), argument(0), proxies, faces),
        Form::UnitTarget => bound(view.context, argument(0).wrapping_sub(c::GL_TEXTURE0), argument(1), proxies, faces),
        Form::Named => named(view.group, argument(0)),
        Form::NamedTarget => {
            let target = target_of(view.context, argument(1), proxies, faces)?;
            let (name, proxy) = (argument(0), Target::of_proxy(argument(1)).is_some());
            let bound = match view.group.textures.get(&name) {
                _ if name == 0 => Bound { name: 0, object: default_object(target) },
                Some(texture) if texture.target.is_some_and(|own| own != target) => {
                    return Err(Fault::invalid_operation("the texture was created for a different target"));
                }
                Some(texture) => Bound { name, object: texture.object },
                None => return Err(NO_TEXTURE),
            };
            Ok(TextureSelection { bound, target, named: argument(1), proxy })
        }
    }
}

fn target_of(context: &Context, named: u32, proxies: bool, faces: bool) -> Result<Target, Fault> {
    let found = if proxies { Target::of_proxy(named) } else { None };
    let found = found.or_else(|| match Target::with_face(named) {
        Some((target, _)) if target.name() == named || faces => Some(target),
        _ => None,
    });
    found.filter(|target| target.exists(&context.facts)).ok_or(NO_TARGET)
}

fn bound(context: &Context, unit: u32, named: u32, proxies: bool, faces: bool) -> Result<TextureSelection, Fault> {
    let units = &context.units;
    let combined = context.facts.limits.integer(c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, units.units.len() as i64);
    let target = target_of(context, named, proxies, faces);
    let Some(unit) = units.units.get(unit as usize).filter(|_| i64::from(unit) < combined) else {
        return Err(Fault::invalid_operation("textures cannot be bound to this unit"));
    };
    let target = target?;
    let proxy = Target::of_proxy(named).is_some();
    Ok(TextureSelection { bound: unit.textures[target as usize], target, named, proxy })
}

fn named(group: &ShareGroup, name: u32) -> Result<TextureSelection, Fault> {
    let texture = group.textures.get(&name).filter(|_| name != 0).ok_or(NO_TEXTURE)?;
    let target = texture.target.ok_or(NO_TARGET_YET)?;
    Ok(TextureSelection { bound: Bound { name, object: texture.object }, target, named: target.name(), proxy: false })
}

/// Finds or creates a texture by name and target: a name of `glGenTextures` gets its target.
pub fn named_target(
    step: &mut Step<'_>,
    name: u32,
    named: u32,
    proxies: bool,
    faces: bool,
) -> Result<TextureSelection, Fault> {
    let target = target_of(step.context, named, proxies, faces)?;
    let proxy = Target::of_proxy(named).is_some();
    if proxy && name != 0 {
        return Err(Fault::invalid_operation("a proxy target has no texture object"));
    }
    let bound =
        if name == 0 { Bound { name, object: default_object(target) } } else { find_or_make(step, name, target)? };
    Ok(TextureSelection { bound, target, named, proxy })
}

/// Returns the texture of that name and target. One without a target gets it; where names need not be generated, it is
/// created (GL 4.6 compatibility, 8.1).
pub fn find_or_make(step: &mut Step<'_>, name: u32, target: Target) -> Result<Bound, Fault> {
    if let Some(texture) = step.group.textures.get(&name) {
        let object = texture.object;
        match texture.target {
            Some(own) if own != target => {
                return Err(Fault::invalid_operation("the texture was created for a different target"));
            }
            Some(_) => {}
            None => {
                if let Some(texture) = step.group.textures.get_mut(&name) {
                    Arc::make_mut(texture).become_of(target);
                }
            }
        }
        return Ok(Bound { name, object });
    }
    if step.facts().client == crate::context::Client::Core {
        return Err(Fault::invalid_operation("the name was not generated by glGenTextures"));
    }
    let object = step.group.next_object();
    step.group.textures.insert(name, Arc::new(Texture::new(object, Some(target))));
    Ok(Bound { name, object })
}
