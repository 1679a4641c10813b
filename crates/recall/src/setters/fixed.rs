//! Which calls made the state of fixed functions that shaders read as built-in uniforms: matrices, lights, materials.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{CommandId, Operation, constant as c, id};
use trace::Call;

use super::fixed_key::{Aspect, Stack, StateKey};

/// Calls of display lists that are followed in a trace; lists that call each other make many of few.
const MOST_LISTED: usize = 1 << 22;

/// Display lists that call each other.
const MOST_NESTING: usize = 64;

/// Calls that made one matrix which are kept, the last ones.
pub const MOST_MADE: usize = 32;

/// Matrices and groups of state that are saved at a time.
const MOST_SAVED: usize = 256;

/// What a call changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Mode(u32),
    Unit(u32),
    Load,
    Multiply,
    Push,
    Pop,
    Material { face: u32, name: u32 },
    Set(StateKey),
    Save(u32),
    Restore,
    List(u32),
}

const LIGHTS: [CommandId; 8] = [
    id::glLightf,
    id::glLightfv,
    id::glLighti,
    id::glLightiv,
    id::glLightx,
    id::glLightxv,
    id::glLightxOES,
    id::glLightxvOES,
];

const LIGHT_MODELS: [CommandId; 8] = [
    id::glLightModelf,
    id::glLightModelfv,
    id::glLightModeli,
    id::glLightModeliv,
    id::glLightModelx,
    id::glLightModelxv,
    id::glLightModelxOES,
    id::glLightModelxvOES,
];

const FOGS: [CommandId; 8] =
    [id::glFogf, id::glFogfv, id::glFogi, id::glFogiv, id::glFogx, id::glFogxv, id::glFogxOES, id::glFogxvOES];

const POINTS: [CommandId; 6] = [
    id::glPointSize,
    id::glPointParameterf,
    id::glPointParameterfv,
    id::glPointParameteri,
    id::glPointParameteriv,
    id::glPointSizex,
];

const ENVIRONMENTS: [CommandId; 4] = [id::glTexEnvf, id::glTexEnvfv, id::glTexEnvi, id::glTexEnviv];

const GENERATORS: [CommandId; 6] =
    [id::glTexGend, id::glTexGendv, id::glTexGenf, id::glTexGenfv, id::glTexGeni, id::glTexGeniv];

const CLIP_PLANES: [CommandId; 3] = [id::glClipPlane, id::glClipPlanef, id::glClipPlanex];

impl Change {
    /// What a call changes of the state that built-in uniforms say; nothing of most.
    pub fn of(call: &Call<'_>) -> Option<Change> {
        let command = call.command?;
        let argument = |at: usize| call.args.get(at).map_or(0, |word| *word as u32);
        // Parameters of one texture unit are those of the active one: it is not part of the call.
        Some(match api::command(command).operation {
            Operation::MatrixMode => Change::Mode(argument(0)),
            Operation::ActiveTexture => Change::Unit(argument(0).wrapping_sub(c::GL_TEXTURE0)),
            Operation::LoadMatrix => Change::Load,
            Operation::MultiplyMatrix => Change::Multiply,
            Operation::PushMatrix => Change::Push,
            Operation::PopMatrix => Change::Pop,
            Operation::SetMaterial => Change::Material { face: argument(0), name: argument(1) },
            Operation::PushAttributes { client: false } => Change::Save(argument(0)),
            Operation::PopAttributes { client: false } => Change::Restore,
            _ if command == id::glCallList => Change::List(argument(0)),
            _ if LIGHTS.contains(&command) => {
                let light = u8::try_from(argument(0).wrapping_sub(c::GL_LIGHT0)).ok()?;
                Change::Set(StateKey::Light(light, Aspect::of(argument(1))?))
            }
            _ if LIGHT_MODELS.contains(&command) => Change::Set(StateKey::LightModel),
            _ if FOGS.contains(&command) => Change::Set(StateKey::Fog),
            _ if POINTS.contains(&command) => Change::Set(StateKey::Point),
            _ if ENVIRONMENTS.contains(&command) && argument(1) == c::GL_TEXTURE_ENV_COLOR => {
                Change::Set(StateKey::TextureColour(0))
            }
            _ if GENERATORS.contains(&command) => Change::Set(StateKey::TexturePlanes(0)),
            _ if CLIP_PLANES.contains(&command) => {
                Change::Set(StateKey::ClipPlane(u8::try_from(argument(0).wrapping_sub(c::GL_CLIP_PLANE0)).ok()?))
            }
            _ => return None,
        })
    }
}

/// Calls that made a value, the last one first: of a matrix all since it was replaced.
#[derive(Clone, Copy)]
struct Made {
    call: u64,
    /// What the call changed, as a place in the list.
    before: Option<u32>,
}

/// The calls that changed such state in a trace.
#[derive(Default)]
pub struct FixedSetters {
    made: Vec<Made>,
    contexts: BTreeMap<u64, Context>,
    /// By thread: from which call on it has which context.
    current: BTreeMap<u32, Vec<(u64, u64)>>,
    listed: usize,
    /// The call from which on lists were not followed, because there were too many.
    cut: Option<u64>,
}

/// What is known of a context, and was.
#[derive(Default)]
struct Context {
    at: Selected,
    stacks: BTreeMap<Stack, Vec<Option<u32>>>,
    /// When state changed, and what made it.
    log: BTreeMap<StateKey, Vec<(u64, Option<u32>)>>,
    saved: Vec<(u32, BTreeMap<StateKey, Option<u32>>)>,
    lists: BTreeMap<u32, Arc<Vec<(u64, Change)>>>,
    /// The list that is being made.
    compiling: Option<Compiling>,
}

/// A display list that is being made.
struct Compiling {
    name: u32,
    /// Its calls are made, too.
    executes: bool,
    calls: Vec<(u64, Change)>,
}

/// What matrix commands and those of texture units work on.
#[derive(Clone, Copy)]
pub struct Selected {
    pub mode: u32,
    pub unit: u32,
}

impl Default for Selected {
    fn default() -> Selected {
        Selected { mode: c::GL_MODELVIEW, unit: 0 }
    }
}

impl Selected {
    fn take(&mut self, change: Change) {
        match change {
            Change::Mode(mode) => self.mode = mode,
            Change::Unit(unit) => self.unit = unit,
            _ => {}
        }
    }

    /// The stack of the matrix mode.
    fn stack(self) -> Option<Stack> {
        match self.mode {
            c::GL_MODELVIEW => Some(Stack::ModelView),
            c::GL_PROJECTION => Some(Stack::Projection),
            c::GL_TEXTURE => Some(Stack::Texture(u8::try_from(self.unit).ok()?)),
            _ => None,
        }
    }

    /// What a call sets, other than matrices.
    fn keys(self, change: Change) -> Vec<StateKey> {
        let unit = u8::try_from(self.unit).unwrap_or(u8::MAX);
        match change {
            Change::Material { face, name } => StateKey::materials(face, name),
            Change::Set(StateKey::TextureColour(_)) => vec![StateKey::TextureColour(unit)],
            Change::Set(StateKey::TexturePlanes(_)) => vec![StateKey::TexturePlanes(unit)],
            Change::Set(key) => vec![key],
            _ => Vec::new(),
        }
    }
}

impl FixedSetters {
    /// Notes that a thread has another context from a call on.
    pub fn make_current(&mut self, thread: u32, call: u64, context: u64) {
        self.current.entry(thread).or_default().push((call, context));
    }

    /// Takes in a call of a context.
    pub fn take(&mut self, call: &Call<'_>, context: u64) {
        let argument = |at: usize| call.args.get(at).map_or(0, |word| *word as u32);
        match call.command {
            Some(id::glNewList) => {
                let executes = argument(1) == c::GL_COMPILE_AND_EXECUTE;
                let list = Compiling { name: argument(0), executes, calls: Vec::new() };
                self.context(context).compiling = Some(list);
            }
            Some(id::glEndList) => {
                let own = self.context(context);
                if let Some(list) = own.compiling.take() {
                    own.lists.insert(list.name, Arc::new(list.calls));
                }
            }
            _ => {
                let Some(change) = Change::of(call) else { return };
                if let Some(list) = &mut self.context(context).compiling {
                    list.calls.push((call.number, change));
                    if !list.executes {
                        return;
                    }
                }
                self.apply(context, (call.number, call.number), change, 0);
            }
        }
    }

    fn context(&mut self, context: u64) -> &mut Context {
        self.contexts.entry(context).or_default()
    }

    /// Applies a change at a call, which a list may have from an earlier one.
    fn apply(&mut self, context: u64, (at, call): (u64, u64), change: Change, depth: usize) {
        if let Change::List(name) = change {
            let list = self.context(context).lists.get(&name).cloned().or_else(|| self.shared(name));
            for &(call, change) in list.iter().flat_map(|list| list.iter()) {
                self.listed += 1;
                if self.listed > MOST_LISTED || depth >= MOST_NESTING {
                    self.cut.get_or_insert(at);
                    return;
                }
                self.apply(context, (at, call), change, depth + 1);
            }
            return;
        }
        let FixedSetters { made, contexts, .. } = self;
        let own = contexts.entry(context).or_default();
        let mut make = |before: Option<u32>| {
            let place = u32::try_from(made.len()).ok()?;
            made.push(Made { call, before });
            Some(place)
        };
        own.at.take(change);
        if let (Change::Load | Change::Multiply | Change::Push | Change::Pop, Some(which)) = (change, own.at.stack()) {
            let stack = own.stacks.entry(which).or_insert_with(|| vec![None]);
            let top = stack.last().copied().flatten();
            match change {
                Change::Push if stack.len() < MOST_SAVED => stack.push(top),
                Change::Pop if stack.len() > 1 => {
                    stack.pop();
                }
                Change::Load | Change::Multiply => {
                    let new = make(top.filter(|_| change == Change::Multiply));
                    if let Some(top) = stack.last_mut() {
                        *top = new;
                    }
                }
                _ => {}
            }
            let now = stack.last().copied().flatten();
            if now != top {
                own.log.entry(StateKey::Matrix(which)).or_default().push((at, now));
            }
        }
        for key in own.at.keys(change) {
            let new = make(None);
            own.log.entry(key).or_default().push((at, new));
        }
        match change {
            Change::Save(groups) if own.saved.len() < MOST_SAVED => {
                let last = |(key, log): (&StateKey, &Vec<(u64, Option<u32>)>)| {
                    (key.group() & groups != 0).then(|| (*key, log.last().and_then(|(_, made)| *made)))
                };
                let saved = own.log.iter().filter_map(last).collect();
                own.saved.push((groups, saved));
            }
            Change::Restore => {
                let Some((groups, saved)) = own.saved.pop() else { return };
                for (key, log) in own.log.iter_mut().filter(|(key, _)| key.group() & groups != 0) {
                    let then = saved.get(key).copied().flatten();
                    if log.last().is_some_and(|(_, now)| *now != then) {
                        log.push((at, then));
                    }
                }
            }
            _ => {}
        }
    }

    /// A list of another context, if only one has that name.
    fn shared(&self, name: u32) -> Option<Arc<Vec<(u64, Change)>>> {
        let mut all = self.contexts.values().filter_map(|context| context.lists.get(&name));
        all.next().filter(|_| all.next().is_none()).cloned()
    }

    /// The calls that made some state of a thread's context as it is before a call, the last one first and at most
    /// [`MOST_MADE`]. Nothing if no call did.
    pub fn made(&self, thread: u32, key: StateKey, end: u64) -> Vec<u64> {
        let log = || {
            let switches = self.current.get(&thread)?;
            let before = switches.partition_point(|(call, _)| *call < end);
            let context = switches[..before].last().map_or(0, |(_, context)| *context);
            self.contexts.get(&context)?.log.get(&key)
        };
        let log = log().or_else(|| self.contexts.get(&0)?.log.get(&key));
        let Some(log) = log.filter(|_| self.is_known_before(end)) else { return Vec::new() };
        let before = log.partition_point(|(at, _)| *at < end);
        let mut next = log[..before].last().and_then(|(_, made)| *made);
        let mut calls = Vec::new();
        while let Some(made) = next.and_then(|place| self.made.get(place as usize)).filter(|_| calls.len() < MOST_MADE)
        {
            calls.push(made.call);
            next = made.before;
        }
        calls
    }

    /// Whether display lists were followed up to a call.
    pub fn is_known_before(&self, end: u64) -> bool {
        self.cut.is_none_or(|cut| cut >= end)
    }
}

/// The calls that made some state, given those before a display list and what the list changes first, the last one first.
pub fn made_within(mut before: Vec<u64>, key: StateKey, mut at: Selected, changes: &[(u32, u64, Change)]) -> Vec<u64> {
    let mut stacks: BTreeMap<Stack, Vec<Vec<u64>>> = BTreeMap::new();
    for &(_, call, change) in changes {
        at.take(change);
        if at.keys(change).contains(&key) {
            before = vec![call];
        }
        let Some(which) = at.stack().filter(|which| key == StateKey::Matrix(*which)) else { continue };
        let stack = stacks.entry(which).or_default();
        match change {
            Change::Load => before = vec![call],
            Change::Multiply => {
                before.insert(0, call);
                before.truncate(MOST_MADE);
            }
            Change::Push if stack.len() < MOST_SAVED => stack.push(before.clone()),
            Change::Pop => before = stack.pop().unwrap_or(before),
            _ => {}
        }
    }
    before
}
