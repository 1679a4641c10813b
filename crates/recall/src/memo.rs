//! What textures and buffers hold, cached until the next write to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use chronicle::Ledger;
use chronicle::graph::Cell;
use inquiry::{DrawSnapshot, Inquiry, InquiryError, RemoteContents};
use pipeline::Effort;
use reenact::{Contents, Plane, Scene};
use shader::version::Stage;
use state::objects::texture::Level;
use state::{ContentsRef, View};

use crate::bounds::ADVICE;

/// Texels of a texture, and bytes of a buffer, that are read back at most; as many bytes of each are cached.
const MOST_TEXELS: u64 = 1 << 24;
const MOST_BYTES: usize = 1 << 27;

/// Contents by object, with the call that wrote to it last.
#[derive(Default)]
pub struct Memo {
    textures: BTreeMap<(usize, u64), (u64, texture::Texture)>,
    buffers: BTreeMap<(usize, u64), (u64, Vec<u8>)>,
    /// What emulating may take for the question at hand.
    pub effort: Arc<Effort>,
}

impl Memo {
    /// Everything that a draw's fragment shader finds around it.
    pub fn scene(
        &mut self,
        inquiry: &mut Inquiry,
        work: &DrawSnapshot,
        ledger: &Ledger,
    ) -> Result<Scene, InquiryError> {
        self.scene_of(inquiry, work, ledger, Stage::Fragment)
    }

    /// Everything that a stage of a draw or dispatch finds around it.
    pub fn scene_of(
        &mut self,
        inquiry: &mut Inquiry,
        work: &DrawSnapshot,
        ledger: &Ledger,
        stage: Stage,
    ) -> Result<Scene, InquiryError> {
        let view = work.view()?;
        // What lies between vertices and fragments is no program without the stages around it (GL 4.6, 7.3).
        let program = if matches!(stage, Stage::Geometry | Stage::TessControl | Stage::TessEvaluation) {
            let needed = work.stages.iter().filter(|facts| facts.stage != Stage::Fragment);
            let shaders = needed.map(|stage| Arc::clone(&stage.shader)).collect::<Vec<_>>();
            reenact::lowered(&view, shaders, work.manner)?
        } else {
            inquiry.program(work, stage)?
        };
        let end = *work.calls.range.start();
        let mut remembered = Remembered { memo: self, ledger, view: &view, end, remote: inquiry.contents(work) };
        let mut scene = work.scene(stage, program, &mut remembered)?;
        scene.effort = Some(Arc::clone(&self.effort));
        Ok(scene)
    }

    /// Returns what a buffer holds before a draw or dispatch, or why it cannot be read.
    pub fn buffer(
        &mut self,
        inquiry: &mut Inquiry,
        work: &DrawSnapshot,
        ledger: &Ledger,
        name: u32,
    ) -> Result<Vec<u8>, String> {
        let view = work.view().map_err(|error| error.to_string())?;
        let end = *work.calls.range.start();
        Remembered { memo: self, ledger, view: &view, end, remote: inquiry.contents(work) }.buffer(name)
    }
}

struct Remembered<'a, 'v> {
    memo: &'a mut Memo,
    ledger: &'a Ledger,
    view: &'a View<'v>,
    end: u64,
    remote: RemoteContents<'a>,
}

impl Remembered<'_, '_> {
    /// A texture by its object, and the call that wrote last to what it shows.
    fn version(&self, name: u32) -> Option<((usize, u64), u64)> {
        let group = self.view.context.group;
        let texture = self.view.group.textures.get(&name)?;
        Some(((group, texture.object), self.ledger.version(texture.storage, group, self.end)))
    }
}

impl Contents for Remembered<'_, '_> {
    fn texture(&mut self, name: u32, target: u32) -> Result<Vec<Plane>, String> {
        let levels = self.view.group.textures.get(&name).map_or(&[][..], |texture| &texture.levels);
        let texels = |level: &Level| {
            let sides = level.size.iter().chain([&level.samples]).map(|side| u64::from(side.max(&1).cast_unsigned()));
            sides.fold(1, u64::saturating_mul)
        };
        let all = levels.iter().flatten().map(texels).fold(0, u64::saturating_add);
        if all > MOST_TEXELS && !state::are_limits_lifted() {
            return Err(format!("its {all} texels are more than a history reads back; {ADVICE}"));
        }
        self.remote.texture(name, target)
    }

    fn known(&mut self, name: u32) -> Option<texture::Texture> {
        let (key, version) = self.version(name)?;
        let (known, made) = self.memo.textures.get(&key)?;
        (*known == version).then(|| made.clone())
    }

    fn keep(&mut self, name: u32, made: &texture::Texture) {
        if let Some((key, version)) = self.version(name) {
            let bytes = |texture: &texture::Texture| texture.levels.iter().map(|level| level.data.len()).sum::<usize>();
            let held: usize = self.memo.textures.values().map(|(_, texture)| bytes(texture)).sum();
            if held + bytes(made) > MOST_BYTES {
                self.memo.textures.clear();
            }
            self.memo.textures.insert(key, (version, made.clone()));
        }
    }

    fn buffer(&mut self, name: u32) -> Result<Vec<u8>, String> {
        let group = self.view.context.group;
        let Some(buffer) = self.view.group.buffers.get(&name) else { return self.remote.buffer(name) };
        let cell = Cell::of(group, ContentsRef::Buffer { object: buffer.object, from: 0, to: u64::MAX });
        let version = self.ledger.byte_writers(&cell, 0, u64::MAX, self.end).first().map_or(0, |write| write.call);
        let key = (group, buffer.object);
        if let Some((known, bytes)) = self.memo.buffers.get(&key)
            && *known == version
        {
            return Ok(bytes.clone());
        }
        if buffer.size > MOST_BYTES as u64 && !state::are_limits_lifted() {
            return Err(format!("its {} bytes are more than a history reads back; {ADVICE}", buffer.size));
        }
        let bytes = self.remote.buffer(name)?;
        if bytes.len() + self.memo.buffers.values().map(|(_, bytes)| bytes.len()).sum::<usize>() > MOST_BYTES {
            self.memo.buffers.clear();
        }
        self.memo.buffers.insert(key, (version, bytes.clone()));
        Ok(bytes)
    }
}
