//! The labels and groups of a whole trace, for listings that need no state.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use api::{Command, CommandId, Meaning, Namespace, Operation, constant as c, id};
use state::annotation::{DebugGroups, group_call, shown};
use trace::{Call, ReadError, Reader};

use crate::call::each_call;

/// A context, or the one that stands for all that share objects with it, and an object's name in it.
type ObjectName = (u32, Namespace, u32);

/// A label; nothing from where it is taken away, or the object is deleted.
type Label = Option<Arc<str>>;

/// The labels and groups of a trace.
#[derive(Default, Debug)]
pub struct Annotations {
    /// The contexts that each thread makes current, with the command that does.
    current: HashMap<u32, Vec<(u64, u32)>>,
    /// The groups that are open in a context after each command that changes them.
    groups: HashMap<u32, Vec<(u64, Arc<DebugGroups>)>>,
    /// The context that stands for all that share objects with one.
    shares: HashMap<u32, u32>,
    /// What objects are called after each command that says so.
    labels: BTreeMap<ObjectName, Vec<(u64, Label)>>,
}

/// Names of objects that are not shared between contexts.
fn is_own(space: Namespace) -> bool {
    use Namespace as N;
    matches!(space, N::Framebuffer | N::VertexArray | N::Query | N::ProgramPipeline | N::TransformFeedback)
}

/// Commands that give a label, or may change the open groups.
const ANNOTATING: &[CommandId] = &[
    id::glObjectLabel,
    id::glObjectLabelKHR,
    id::glLabelObjectEXT,
    id::glPushDebugGroup,
    id::glPushDebugGroupKHR,
    id::glPushGroupMarkerEXT,
    id::glInsertEventMarkerEXT,
    id::glStringMarkerGREMEDY,
    id::glDebugMessageInsert,
    id::glDebugMessageInsertARB,
    id::glDebugMessageInsertKHR,
];

/// The names that a label is for.
fn labelled(kind: u32) -> Option<Namespace> {
    Some(match kind {
        c::GL_BUFFER | c::GL_BUFFER_OBJECT_EXT => Namespace::Buffer,
        c::GL_SHADER | c::GL_PROGRAM | c::GL_SHADER_OBJECT_EXT | c::GL_PROGRAM_OBJECT_EXT => Namespace::Program,
        c::GL_VERTEX_ARRAY | c::GL_VERTEX_ARRAY_OBJECT_EXT => Namespace::VertexArray,
        c::GL_QUERY | c::GL_QUERY_OBJECT_EXT => Namespace::Query,
        c::GL_PROGRAM_PIPELINE | c::GL_PROGRAM_PIPELINE_OBJECT_EXT => Namespace::ProgramPipeline,
        c::GL_TRANSFORM_FEEDBACK => Namespace::TransformFeedback,
        c::GL_SAMPLER => Namespace::Sampler,
        c::GL_TEXTURE => Namespace::Texture,
        c::GL_RENDERBUFFER => Namespace::Renderbuffer,
        c::GL_FRAMEBUFFER => Namespace::Framebuffer,
        c::GL_DISPLAY_LIST => Namespace::DisplayList,
        _ => return None,
    })
}

impl Annotations {
    /// Reads them. A trace without any is not read: its table of commands says so.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn read(reader: &Reader) -> Result<Annotations, ReadError> {
        let mut all = Annotations::default();
        let is_one = |name: &str| ANNOTATING.iter().any(|id| api::command(*id).name == name);
        if !reader.signatures().any(|signature| is_one(&signature.name)) {
            return Ok(all);
        }
        // What is lost has nothing to say.
        each_call(&mut reader.calls(), reader.len(), |call| {
            all.take(reader, call);
            Ok::<(), ReadError>(())
        })?;
        Ok(all)
    }

    /// Whether the trace has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.labels.is_empty()
    }

    fn take(&mut self, reader: &Reader, call: &Call<'_>) {
        let Some(id) = call.command else { return };
        let word = |at: usize| call.args.get(at).copied().unwrap_or(0) as u32;
        let bytes = |param: u8| {
            let data = call.input(param).and_then(|data| reader.bytes(data).ok().flatten());
            data.map(|bytes| bytes.to_vec()).unwrap_or_default()
        };
        match id {
            id::afiContext => {
                let share = if word(1) == 0 { word(0) } else { self.share(word(1)) };
                self.shares.insert(word(0), share);
            }
            id::afiCurrent => self.current.entry(call.thread).or_default().push((call.number, word(0))),
            id::afiPresent | id::afiSwap => {
                let context = self.context(call.thread, call.number);
                if let Some((_, last)) = self.groups.get(&context).and_then(|all| all.last()) {
                    let mut groups = Arc::clone(last);
                    if groups.is_titled() {
                        Arc::make_mut(&mut groups).present();
                        self.groups.entry(context).or_default().push((call.number, groups));
                    }
                }
            }
            id::glObjectLabel | id::glObjectLabelKHR | id::glLabelObjectEXT => {
                let Some(space) = labelled(word(0)) else { return };
                let mut text = bytes(3);
                if id == id::glLabelObjectEXT && word(2) > 0 {
                    text.truncate(word(2) as usize);
                }
                let text = Some(shown(&text)).filter(|text| !text.is_empty()).map(Arc::from);
                let context = self.context(call.thread, call.number);
                self.labels.entry(self.key(context, space, word(1))).or_default().push((call.number, text));
            }
            _ => self.take_other(call, api::command(id), bytes),
        }
    }

    fn take_other(&mut self, call: &Call<'_>, command: &'static Command, bytes: impl Fn(u8) -> Vec<u8>) {
        let context = self.context(call.thread, call.number);
        if let Some(change) = call.command.and_then(|id| group_call(id, call.args)) {
            let all = self.groups.entry(context).or_default();
            let mut groups = all.last().map_or_else(Arc::default, |(_, groups)| Arc::clone(groups));
            Arc::make_mut(&mut groups).apply(change, bytes);
            all.push((call.number, groups));
        } else if command.operation == Operation::DeleteObjects && !self.labels.is_empty() {
            for (at, param) in command.params.iter().enumerate() {
                let of = |meaning: Meaning| if let Meaning::Name(space) = meaning { Some(space) } else { None };
                let (space, names) = match (param.memory, of(param.value.meaning)) {
                    (Some(memory), _) => (of(memory.element.meaning), words(&bytes(at as u8))),
                    (None, space) => (space, vec![call.args[at] as u32]),
                };
                let Some(space) = space else { continue };
                for name in names {
                    if let Some(known) = self.labels.get_mut(&self.key(context, space, name)) {
                        known.push((call.number, None));
                    }
                }
            }
        }
    }

    fn share(&self, context: u32) -> u32 {
        self.shares.get(&context).copied().unwrap_or(context)
    }

    fn key(&self, context: u32, space: Namespace, name: u32) -> ObjectName {
        (if is_own(space) { context } else { self.share(context) }, space, name)
    }

    /// The context that a thread uses at a command.
    #[must_use]
    pub fn context(&self, thread: u32, command: u64) -> u32 {
        let all = self.current.get(&thread).map_or(&[][..], Vec::as_slice);
        before(all, command).copied().unwrap_or(0)
    }

    /// The groups that are open when a thread makes a call, the outermost first.
    #[must_use]
    pub fn groups(&self, thread: u32, command: u64) -> Vec<Arc<str>> {
        let all = self.groups.get(&self.context(thread, command)).map_or(&[][..], Vec::as_slice);
        before(all, command).map_or(Vec::new(), |groups| groups.path())
    }

    /// How many groups are open when a thread makes a call; titles are not counted.
    #[must_use]
    pub fn depth(&self, thread: u32, command: u64) -> usize {
        let all = self.groups.get(&self.context(thread, command)).map_or(&[][..], Vec::as_slice);
        before(all, command).map_or(0, |groups| groups.depth())
    }

    /// What an object is called when a context uses its name in a call.
    #[must_use]
    pub fn label(&self, context: u32, space: Namespace, name: u32, command: u64) -> Option<&str> {
        let all = self.labels.get(&self.key(context, space, name))?;
        before(all, command)?.as_deref()
    }

    /// What an object is called in the end that a call created: its last label before the name is deleted.
    #[must_use]
    pub fn last_label(&self, context: u32, space: Namespace, name: u32, created: u64) -> Option<&str> {
        let all = self.labels.get(&self.key(context, space, name))?;
        let from = all.partition_point(|(command, _)| *command < created);
        all[from..].iter().map_while(|(_, label)| label.as_deref()).last()
    }
}

/// What was noted last before a command.
fn before<T>(all: &[(u64, T)], command: u64) -> Option<&T> {
    all[..all.partition_point(|(at, _)| *at < command)].last().map(|(_, what)| what)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}
