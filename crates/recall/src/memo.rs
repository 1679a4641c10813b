//! What textures and buffers hold, remembered until somebody writes to them.

use std::collections::BTreeMap;

use chronicle::Ledger;
use chronicle::graph::Cell;
use inquiry::{Inquiry, InquiryError, RemoteContents, Work};
use reenact::{Contents, Plane, Scene};
use replay::inspect::StageFacts;
use shader::version::Stage;
use state::{Thing, View};

/// Contents by object, with the call that wrote to it last.
#[derive(Default)]
pub struct Memo {
    textures: BTreeMap<(usize, u64), (u64, Vec<Plane>)>,
    buffers: BTreeMap<(usize, u64), (u64, Vec<u8>)>,
}

impl Memo {
    /// Everything that a draw's fragment shader finds around it.
    pub fn scene(&mut self, inquiry: &mut Inquiry, work: &Work, ledger: &Ledger) -> Result<Scene, InquiryError> {
        self.scene_of(inquiry, work, ledger, Stage::Fragment)
    }

    /// Everything that a stage of a draw or dispatch finds around it.
    pub fn scene_of(
        &mut self,
        inquiry: &mut Inquiry,
        work: &Work,
        ledger: &Ledger,
        stage: Stage,
    ) -> Result<Scene, InquiryError> {
        work.facts(stage)?;
        // What lies between vertices and fragments is no program without the stages around it (GL 4.6, 7.3).
        let between = matches!(stage, Stage::Geometry | Stage::TessControl | Stage::TessEvaluation);
        let needed = |facts: &&StageFacts| facts.stage == stage || between && facts.stage != Stage::Fragment;
        let read =
            |facts: &StageFacts| shader::analyze(&[String::from_utf8_lossy(&facts.text).as_ref()], &facts.options);
        let shaders = work.stages.iter().filter(needed).map(read).collect();
        let view = work.view()?;
        let end = *work.calls.range.start();
        let mut remembered = Remembered { memo: self, ledger, view: &view, end, remote: inquiry.contents(work) };
        Ok(Scene::new(&view, work.calls.work, shaders, &mut remembered, work.manner)?)
    }

    /// What a buffer holds before a draw or dispatch; in words why that cannot be had.
    pub fn buffer(
        &mut self,
        inquiry: &mut Inquiry,
        work: &Work,
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

impl Contents for Remembered<'_, '_> {
    fn texture(&mut self, name: u32, target: u32) -> Result<Vec<Plane>, String> {
        let group = self.view.context.group;
        let Some(texture) = self.view.group.textures.get(&name) else { return self.remote.texture(name, target) };
        let (key, version) = ((group, texture.storage), self.ledger.version(texture.storage, group, self.end));
        if let Some((known, planes)) = self.memo.textures.get(&key)
            && *known == version
        {
            return Ok(planes.clone());
        }
        let planes = self.remote.texture(name, target)?;
        self.memo.textures.insert(key, (version, planes.clone()));
        Ok(planes)
    }

    fn buffer(&mut self, name: u32) -> Result<Vec<u8>, String> {
        let group = self.view.context.group;
        let Some(buffer) = self.view.group.buffers.get(&name) else { return self.remote.buffer(name) };
        let cell = Cell::of(group, Thing::Buffer { object: buffer.object, from: 0, to: u64::MAX });
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
