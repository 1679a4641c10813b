//! Textures, renderbuffers and framebuffers.

use api::{Meaning, Namespace, Operation, constant as c};

use super::super::bound::Names;
use super::super::log::Fate;
use super::super::slot::{Family, Object, Owner, key};
use super::{Step, Walk};

impl Walk {
    /// What a call does to textures, renderbuffers and framebuffers. False when it is no such call, or does nothing that
    /// lasts.
    pub(super) fn image(&mut self, step: &mut Step<'_>, operation: Operation) -> bool {
        match operation {
            Operation::BindTexture => {
                let (target, name) = (step.arg(0), step.arg(1));
                let names = &mut self.bound(step).names;
                let unit = names.unit;
                names.textures.insert((unit, target), name);
                self.bind(step, Namespace::Texture, name, target);
                self.needs(step, Family::ActiveTexture, 0);
                self.sets(step, Family::TextureBinding, binding(unit, target));
            }
            Operation::BindTextureUnit => {
                let (unit, name) = (step.arg(0), step.arg(1));
                let texture = self.object(step.context, Namespace::Texture, name);
                let target = self.about(texture, step.context).target;
                let names = &mut self.bound(step).names;
                if name == 0 {
                    names.textures.retain(|(of, _), _| *of != unit);
                    step.fate = Fate::Always;
                } else {
                    names.textures.insert((unit, target), name);
                }
                self.sets(step, Family::TextureBinding, binding(unit, target));
            }
            Operation::CopyImage => {
                let target = step.arg(7);
                let space = if target == c::GL_RENDERBUFFER { Namespace::Renderbuffer } else { Namespace::Texture };
                let image = self.object(step.context, space, step.arg(6));
                self.about(image, step.context).by_gpu = true;
                return false;
            }
            Operation::BindImage => {
                let texture = self.object(step.context, Namespace::Texture, step.arg(1));
                self.about(texture, step.context).by_gpu = true;
                self.sets(step, Family::Plain, step.own_key(1));
            }
            Operation::TextureParameter { named } => {
                let texture = self.texture(step, named);
                self.sets_of(step, texture, Family::Parameter, key([step.own_key(0), step.wide(1)]));
            }
            Operation::TextureLevel | Operation::CopyTextureLevel => self.texture_level(step, operation),
            Operation::TextureStorage { named } => {
                let texture = self.texture(step, named);
                step.fate = Fate::Always;
                self.sets_of(step, texture, Family::Storage, u64::MAX);
            }
            Operation::TextureSub { named } => {
                let texture = self.texture(step, named);
                let size = step.call.inputs.iter().map(|payload| data_size(payload.data)).max().unwrap_or(0);
                let about = self.about(texture, step.context);
                about.changes += 1;
                about.changed += size;
                self.reads_pixels(step, texture);
                self.changes_of(step, texture, Family::Contents, level(step, named));
            }
            Operation::CopyTextureSub { named } => {
                let texture = self.texture(step, named);
                self.about(texture, step.context).by_gpu = true;
                return false;
            }
            Operation::GenerateMipmap { named } => {
                let texture = self.texture(step, named);
                let contents = self.slots.family(Owner::Object(texture), Family::Contents);
                step.effect.families.push(contents);
                self.sets_of(step, texture, Family::Storage, u64::MAX - 1);
            }
            Operation::TextureBuffer => {
                let texture = self.texture(step, false);
                let buffer = self.object(step.context, Namespace::Buffer, step.arg(2));
                self.about(buffer, step.context).held = true;
                self.sets_of(step, texture, Family::Storage, 0);
            }
            Operation::BindFramebuffer => {
                let (target, name) = (step.arg(0), step.arg(1));
                self.bind(step, Namespace::Framebuffer, name, target);
                let names = &mut self.bound(step).names;
                if target != c::GL_DRAW_FRAMEBUFFER {
                    names.read = name;
                    self.sets(step, Family::Framebuffer, 1);
                }
                if target != c::GL_READ_FRAMEBUFFER {
                    self.bound(step).names.draw = name;
                    self.sets(step, Family::Framebuffer, 0);
                }
            }
            Operation::BindRenderbuffer => {
                let name = step.arg(1);
                self.bound(step).names.renderbuffer = name;
                self.bind(step, Namespace::Renderbuffer, name, step.arg(0));
                self.sets(step, Family::Renderbuffer, 0);
            }
            Operation::RenderbufferStorage { named } => {
                let name = if named { step.arg(0) } else { self.bound(step).names.renderbuffer };
                if !named {
                    self.needs(step, Family::Renderbuffer, 0);
                }
                let renderbuffer = self.object(step.context, Namespace::Renderbuffer, name);
                self.about(renderbuffer, step.context).by_gpu = true;
                self.sets_of(step, renderbuffer, Family::Storage, 0);
            }
            Operation::Attach { named } => self.attach(step, named),
            Operation::ChooseBuffers { read } => {
                let name = if read { self.bound(step).names.read } else { self.bound(step).names.draw };
                self.needs(step, Family::Framebuffer, u64::from(read));
                let framebuffer = self.object(step.context, Namespace::Framebuffer, name);
                self.sets_of(step, framebuffer, Family::Parameter, step.own_key(0));
            }
            _ => return false,
        }
        true
    }

    fn texture_level(&mut self, step: &mut Step<'_>, operation: Operation) {
        let texture = self.texture(step, false);
        let place = level(step, false);
        let about = self.about(texture, step.context);
        (about.changes, about.changed) = (0, 0);
        if operation == Operation::CopyTextureLevel {
            about.by_gpu = true;
            self.needs_family(step, Family::Framebuffer);
        }
        self.reads_pixels(step, texture);
        // Whether levels below it are made at the same time is a parameter of the texture.
        let parameters = self.slots.family(Owner::Object(texture), Family::Parameter);
        step.effect.families.push(parameters);
        self.sets_of(step, texture, Family::Storage, place);
        self.sets_of(step, texture, Family::Contents, place);
    }

    /// What is attached to a framebuffer is drawn to.
    fn attach(&mut self, step: &mut Step<'_>, named: bool) {
        let Some(command) = step.call.command.map(api::command) else { return };
        for (at, param) in command.params.iter().enumerate() {
            if let Meaning::Name(space @ (Namespace::Texture | Namespace::Renderbuffer)) = param.value.meaning
                && step.arg(at) != 0
            {
                let image = self.object(step.context, space, step.arg(at));
                let about = self.about(image, step.context);
                (about.by_gpu, about.held) = (true, true);
            }
        }
        let target = step.arg(0);
        let name = if named { target } else { self.bound(step).names.framebuffer(target) };
        if !named {
            self.needs(step, Family::Framebuffer, u64::from(target == c::GL_READ_FRAMEBUFFER));
        }
        let framebuffer = self.object(step.context, Namespace::Framebuffer, name);
        self.sets_of(step, framebuffer, Family::Parameter, key([step.own_key(0), step.wide(1)]));
    }

    /// The texture that a call names with its first parameter, or by the target that it is bound to, which it relies on.
    fn texture(&mut self, step: &mut Step<'_>, named: bool) -> Object {
        if named {
            return self.object(step.context, Namespace::Texture, step.arg(0));
        }
        let target = Names::texture_target(step.arg(0));
        let (unit, name) = {
            let names = &self.bound(step).names;
            (names.unit, names.texture(target))
        };
        self.needs(step, Family::ActiveTexture, 0);
        self.needs(step, Family::TextureBinding, binding(unit, target));
        let mut texture = self.object(step.context, Namespace::Texture, name);
        if name == 0 {
            // The textures without a name are one for each target.
            texture.age = target;
        }
        texture
    }

    /// How pixels lie in memory is state, and they may come from a buffer.
    fn reads_pixels(&mut self, step: &mut Step<'_>, texture: Object) {
        self.needs_family(step, Family::PixelStore);
        let target = c::GL_PIXEL_UNPACK_BUFFER;
        self.needs(step, Family::BufferBinding, u64::from(target));
        let name = self.bound(step).names.buffers.get(&target).copied().unwrap_or(0);
        if name != 0 {
            let buffer = self.object(step.context, Namespace::Buffer, name);
            // What a driver wrote there is not there any more when the call is made again.
            let by_gpu = self.about(buffer, step.context).by_gpu;
            self.about(texture, step.context).by_gpu |= by_gpu;
            for family in [Family::Contents, Family::Storage] {
                let number = self.slots.family(Owner::Object(buffer), family);
                step.effect.families.push(number);
            }
        }
    }
}

fn binding(unit: u32, target: u32) -> u64 {
    u64::from(unit) << 32 | u64::from(target)
}

/// The image of a level that a call writes: its target, which may be the face of a cube, and its number.
fn level(step: &Step<'_>, named: bool) -> u64 {
    if named { step.wide(1) } else { key([step.wide(0), step.wide(1)]) }
}

fn data_size(data: trace::Data<'_>) -> u64 {
    match data {
        trace::Data::Inline(bytes) => bytes.len() as u64,
        trace::Data::Blob { size, .. } | trace::Data::Digest { size, .. } => size,
    }
}
