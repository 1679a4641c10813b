//! Runs variants on a device, and reads contents from it.

use device::{
    Answer, Ask, Changes, ContentsPart, Control, Device, DeviceError, Isolate, Isolated, Object, Reply, VariantText,
};
use instrument::inspect::{InspectContext, Raw, Run};
use instrument::{Device as Capabilities, InspectError, Scope, Variant};
use reenact::{Contents, Plane};
use shader::version::Stage;

use crate::sources::Sources;
use crate::{DrawSnapshot, ReadPlanes};

/// Runs variants of one draw in the worker.
pub struct Remote<'a> {
    device: &'a mut dyn Device,
    control: &'a Control,
    work: &'a DrawSnapshot,
    changes: &'a Changes,
    seconds: (f64, f64),
    notes: Vec<String>,
    failure: Option<DeviceError>,
    sources: &'a mut Sources,
    isolated: Vec<Isolated>,
    /// About how many invocations answer, if the draw says so.
    pub expected: Option<u32>,
}

/// What came of runs besides their words.
pub struct Account {
    /// Seconds it took to build programs, and in all.
    pub seconds: (f64, f64),
    /// What was not as recorded in any.
    pub notes: Vec<String>,
    /// What became of the worker, if it was lost.
    pub failure: Option<DeviceError>,
    /// The primitives that were isolated, if any were.
    pub isolated: Vec<Isolated>,
}

impl<'a> Remote<'a> {
    pub fn new(
        device: &'a mut dyn Device,
        control: &'a Control,
        work: &'a DrawSnapshot,
        changes: &'a Changes,
        sources: &'a mut Sources,
    ) -> Remote<'a> {
        let (seconds, notes, isolated) = ((0.0, 0.0), Vec::new(), Vec::new());
        Remote { device, control, work, changes, seconds, notes, failure: None, sources, isolated, expected: None }
    }

    /// What came of all runs.
    pub fn account(self) -> Account {
        let Remote { seconds, notes, failure, isolated, .. } = self;
        Account { seconds, notes, failure, isolated }
    }

    /// What is to be otherwise in a run: primitives that the first of several found are known to the next.
    fn changes(&self, run: Run) -> Changes {
        let mut changes = self.changes.clone();
        if let Some(isolate) = &mut changes.isolate
            && run.base > 0
        {
            *isolate = Isolate { known: self.isolated.clone(), ..isolate.clone() };
        }
        changes
    }
}

impl InspectContext for Remote<'_> {
    fn device(&self) -> &Capabilities {
        &self.work.device
    }

    fn expected(&self) -> Option<u32> {
        // Most pixels are drawn once by a draw, or not at all.
        let listed = self.changes.listing.map(|[_, _, width, height]| width.saturating_mul(height).saturating_add(8));
        listed.or(self.expected)
    }

    fn run(&mut self, variant: &Variant, stage: Stage, scope: Scope, run: Run) -> Result<Raw, InspectError> {
        let spoiled = self.sources.spoiled(variant);
        let sent = spoiled.as_ref().unwrap_or(variant);
        self.sources.saw(self.work.command, sent, stage);
        let ask = Ask::Run {
            command: self.work.command,
            variant: Box::new(VariantText::new(sent, stage)),
            scope,
            run,
            changes: Box::new(self.changes(run)),
        };
        let Reply { answer, bytes } = match self.device.ask(&ask, self.control) {
            Ok(reply) => reply,
            Err(DeviceError::Refused(why)) => return Err(InspectError::Failed(why)),
            Err(error) => {
                let text = error.to_string();
                self.failure = Some(error);
                return Err(InspectError::Failed(text));
            }
        };
        match answer {
            Answer::Raw { shape, seconds: (build, all), notes, isolated } => {
                self.isolated = isolated;
                self.seconds = (self.seconds.0 + build.unwrap_or(0.0), self.seconds.1 + all);
                for note in notes {
                    if !self.notes.contains(&note) {
                        self.notes.push(note);
                    }
                }
                Ok(shape.with(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()))
            }
            Answer::Rejected { log, source_text } => {
                self.sources.rejected(self.work.command, sent, stage);
                Err(InspectError::Rejected { log, source_text })
            }
            other => Err(InspectError::Failed(DeviceError::unexpected(&ask, &other).to_string())),
        }
    }
}

/// What objects hold before a draw.
pub struct RemoteContents<'a> {
    device: &'a mut dyn Device,
    control: &'a Control,
    command: u64,
}

impl<'a> RemoteContents<'a> {
    pub(crate) fn new(device: &'a mut dyn Device, control: &'a Control, command: u64) -> RemoteContents<'a> {
        RemoteContents { device, control, command }
    }

    fn ask(&mut self, object: Object) -> Result<Vec<Plane>, String> {
        let ask = Ask::Contents { command: self.command, objects: vec![object] };
        let Reply { answer, bytes } = self.device.ask(&ask, self.control).map_err(|error| error.to_string())?;
        match answer {
            Answer::Contents { objects } => {
                planes(objects, &bytes).into_iter().next().ok_or("the device returned no contents")?
            }
            other => Err(DeviceError::unexpected(&ask, &other).to_string()),
        }
    }
}

/// Takes apart what several objects hold.
pub(crate) fn planes(objects: Vec<Result<Vec<ContentsPart>, String>>, mut bytes: &[u8]) -> Vec<ReadPlanes> {
    let mut plane = |part: ContentsPart| {
        let (own, rest) = bytes.split_at((part.length as usize).min(bytes.len()));
        bytes = rest;
        Plane {
            target: part.target,
            level: part.level,
            size: part.size,
            format: part.format,
            pixel_type: part.pixel_type,
            bytes: own.to_vec(),
        }
    };
    objects.into_iter().map(|parts| Ok(parts?.into_iter().map(&mut plane).collect())).collect()
}

impl Contents for RemoteContents<'_> {
    fn texture(&mut self, name: u32, target: u32) -> Result<Vec<Plane>, String> {
        self.ask(Object::Texture(name, target))
    }

    fn buffer(&mut self, name: u32) -> Result<Vec<u8>, String> {
        let parts = self.ask(Object::Buffer(name))?;
        parts.into_iter().next().map(|part| part.bytes).ok_or_else(|| "it has no storage".to_owned())
    }
}
