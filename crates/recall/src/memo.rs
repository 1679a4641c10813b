//! What textures and buffers hold, cached until the next write to them.

use std::collections::BTreeMap;
use std::sync::Arc;

use chronicle::Ledger;
use chronicle::graph::Cell;
use inquiry::{DrawSnapshot, Inquiry, InquiryError, RemoteContents};
use reenact::{Contents, Plane, Scene};
use shader::version::Stage;
use state::{ContentsRef, View};

/// Contents by object, with the call that wrote to it last.
#[derive(Default)]
pub struct Memo {
    textures: BTreeMap<(usize, u64), (u64, texture::Texture)>,
    buffers: BTreeMap<(usize, u64), (u64, Vec<u8>)>,
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
        work.scene(stage, program, &mut remembered)
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
        self.remote.texture(name, target)
    }

    fn known(&mut self, name: u32) -> Option<texture::Texture> {
        let (key, version) = self.version(name)?;
        let (known, made) = self.memo.textures.get(&key)?;
        (*known == version).then(|| made.clone())
    }

    fn keep(&mut self, name: u32, made: &texture::Texture) {
        if let Some((key, version)) = self.version(name) {
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
        let bytes = self.remote.buffer(name)?;
        self.memo.buffers.insert(key, (version, bytes.clone()));
        Ok(bytes)
    }
}
