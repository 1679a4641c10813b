//! Contexts, share groups and surfaces of a trace, and the threads that use them.

mod aside;
mod front;

use std::collections::{HashMap, HashSet};

use api::Namespace;
use api::call::{ContextHandle, ImageHandle, KeptMemory, SurfaceHandle};
use api::request::{Client, ContextRequest, SurfaceRequest};

use crate::ReplayError;
use crate::gl::Gl;
use crate::names::NameMap;
use crate::places::Places;

pub use aside::Marks;
pub use front::{Side, Sides};

/// Contexts, surfaces and threads with larger numbers are rejected; real programs have far fewer.
const MOST: u32 = 1 << 16;

/// Names by namespace.
type Names = Box<[NameMap; NAMESPACES]>;

/// More than there are namespaces.
const NAMESPACES: usize = 32;

/// Everything that exists.
pub struct World {
    pub gl: Box<dyn Gl>,
    contexts: Vec<Option<Context>>,
    groups: Vec<Group>,
    surfaces: Vec<Option<Surface>>,
    /// What is current on each recorded thread.
    seats: Vec<Seat>,
    /// What is current on the one thread that replays.
    active: Seat,
    /// EGL images by recorded handle; they belong to the display, so contexts of different share groups can use them.
    pub images: HashMap<u64, ImageHandle>,
    /// Whether front buffers are kept: from the first call that uses one.
    pub fronts: bool,
    /// Pbuffers, by recorded handle, that textures are made from without alpha.
    pub opaque: HashSet<u64>,
    /// Whether anything was presented, so that front buffers have contents.
    shown: bool,
    /// The context that copies between pbuffers; created for the first copy.
    copier: Option<ContextHandle>,
    /// Contexts of our own in each share group; see [`World::step_aside`].
    asides: HashMap<usize, (ContextHandle, Client)>,
}

/// What is current: numbers of a context and of surfaces, 0 for none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seat {
    pub context: u32,
    pub draw: u32,
    pub read: u32,
}

/// A context.
pub struct Context {
    pub real: ContextHandle,
    pub client: Client,
    /// Its version; queried on first use.
    pub version: Option<(u32, u32)>,
    pub group: usize,
    /// The share group with the names of its textures: another one if it shares only textures with other contexts.
    textures: usize,
    realm: u32,
    /// Whether it was recorded on ANGLE, a layer that knows more than the driver below.
    pub on_angle: bool,
    /// Whether `mediump` and `lowp` were computed in 32 bits there.
    pub one_precision: bool,
    names: Names,
    /// Recorded name of the program in use.
    pub program: u32,
    /// Recorded name of the bound pipeline.
    pub pipeline: u32,
    /// Recorded names of the active programs of pipelines, which receive uniforms.
    pub pipeline_programs: HashMap<u32, u32>,
    /// Recorded name of the bound vertex array.
    pub vertex_array: u32,
    pub client_unit: u32,
    /// The last argument of `glRenderMode`, or 0.
    pub render_mode: u32,
    /// Whether commands are compiled into a display list without being executed.
    pub compiling: bool,
    /// Whether it is between `glBegin` and `glEnd`, where queries and reading pixels are errors.
    pub begun: bool,
    /// Recorded names of the bound framebuffers.
    pub draw_framebuffer: u32,
    pub read_framebuffer: u32,
    /// The draw and read buffers of the default framebuffer.
    pub sides: Sides,
    /// The argument of each `glPushAttrib`, and these buffers then.
    pub attributes: Vec<(u32, Sides)>,
    /// Errors taken from the driver and not yet returned to the program.
    pub errors: Vec<u64>,
    /// Memory that vertex arrays point to, by vertex array and attribute.
    pub arrays: HashMap<(u32, u64), KeptArray>,
    /// Memory that GL writes to for feedback and for selection.
    pub results: [Option<KeptMemory>; 2],
}

/// Memory that a vertex array points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptArray {
    pub memory: KeptMemory,
    /// The blob of the trace that it is a copy of, if any, and how many bytes behind its start that is.
    pub blob: Option<(u32, u64)>,
}

/// A share group.
#[derive(Default)]
pub struct Group {
    names: Names,
    pub syncs: HashMap<u64, u64>,
    pub handles: HashMap<u64, u64>,
    pub places: Places,
}

/// A surface as the recording describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Description {
    pub request: SurfaceRequest,
    /// The program's handle.
    pub handle: u64,
    /// Whether it has a front and a back buffer.
    pub double: bool,
}

/// A surface.
struct Surface {
    description: Description,
    /// Its back buffer, or its only buffer.
    pbuffer: Option<SurfaceHandle>,
    front: Option<front::Front>,
    /// Whether anything was drawn to it; before that, its contents are undefined.
    drawn: bool,
}

impl World {
    /// Returns a world without contexts.
    pub fn new(gl: Box<dyn Gl>) -> World {
        World {
            gl,
            contexts: Vec::new(),
            groups: Vec::new(),
            surfaces: Vec::new(),
            seats: Vec::new(),
            active: Seat::default(),
            images: HashMap::new(),
            fronts: false,
            opaque: HashSet::new(),
            shown: false,
            copier: None,
            asides: HashMap::new(),
        }
    }

    /// Creates a context.
    pub fn add_context(&mut self, number: u32, share: u32, request: &ContextRequest) -> Result<(), ReplayError> {
        let place = place(number, "context")?;
        let shared = self.context(share).map(|context| (context.real, context.group));
        let real = self.gl.new_context(request, shared.map(|(real, _)| real))?;
        let group = shared.map_or_else(
            || {
                self.groups.push(Group::default());
                self.groups.len() - 1
            },
            |(_, group)| group,
        );
        let textures = self.context(share).map_or(group, |context| context.textures);
        let context = Context {
            real,
            client: request.client,
            version: None,
            group,
            textures,
            realm: 0,
            on_angle: false,
            one_precision: false,
            names: Names::default(),
            program: 0,
            pipeline: 0,
            pipeline_programs: HashMap::new(),
            vertex_array: 0,
            client_unit: 0,
            render_mode: 0,
            compiling: false,
            begun: false,
            draw_framebuffer: 0,
            read_framebuffer: 0,
            sides: Sides::default(),
            attributes: Vec::new(),
            errors: Vec::new(),
            arrays: HashMap::new(),
            results: Default::default(),
        };
        put(&mut self.contexts, place, context);
        Ok(())
    }

    /// Lets a new context share only textures with the contexts of other realms. The driver's contexts share everything;
    /// the recorded names are kept apart.
    pub fn set_realm(&mut self, number: u32, realm: u32) {
        let Some(group) = self.context(number).map(|context| context.textures) else { return };
        let like = self.contexts.iter().flatten().find(|other| other.textures == group && other.realm == realm);
        let own = like.map_or(self.groups.len(), |other| other.group);
        if own == self.groups.len() {
            self.groups.push(Group::default());
        }
        if let Some(Some(context)) = self.contexts.get_mut(number as usize) {
            (context.group, context.realm) = (own, realm);
        }
    }

    /// Records that a context was one of ANGLE's, and whether `mediump` and `lowp` were computed in 32 bits there.
    pub fn set_on_angle(&mut self, number: u32, one_precision: bool) {
        if let Some(Some(context)) = self.contexts.get_mut(number as usize) {
            (context.on_angle, context.one_precision) = (true, one_precision);
        }
    }

    /// Records the description of a surface; a current one is recreated at once.
    pub fn add_surface(&mut self, number: u32, description: Description) -> Result<(), ReplayError> {
        let place = place(number, "surface")?;
        if let Some(Some(surface)) = self.surfaces.get_mut(place) {
            if surface.description == description {
                return Ok(());
            }
            surface.description = description;
            surface.drawn = false;
            let old = [surface.pbuffer.take(), surface.front.take().map(|front| front.pbuffer)];
            if self.active.draw == number || self.active.read == number {
                let seat = std::mem::take(&mut self.active);
                self.gl.make_current(None, None, None)?;
                self.activate(seat)?;
            }
            for old in old.into_iter().flatten() {
                self.gl.delete_surface(old);
            }
        } else {
            put(&mut self.surfaces, place, Surface { description, pbuffer: None, front: None, drawn: false });
        }
        Ok(())
    }

    /// Records what a thread has made current.
    pub fn seat(&mut self, thread: u32, seat: Seat) -> Result<(), ReplayError> {
        let place = thread_place(thread)?;
        if self.seats.len() <= place {
            self.seats.resize(place + 1, Seat::default());
        }
        self.seats[place] = seat;
        self.activate(seat)
    }

    /// Makes current what a thread has made current. Returns whether there is a context.
    #[inline]
    pub fn enter(&mut self, thread: u32) -> Result<bool, ReplayError> {
        let seat = self.seats.get(thread as usize).copied().unwrap_or_default();
        if seat != self.active && seat.context != 0 {
            self.activate(seat)?;
        }
        Ok(seat.context != 0)
    }

    /// Returns what is current.
    pub fn active(&self) -> Seat {
        self.active
    }

    /// Returns the current context.
    #[inline]
    pub fn current(&mut self) -> Option<(&mut Context, &mut Group)> {
        let context = self.contexts.get_mut(self.active.context as usize)?.as_mut()?;
        let group = self.groups.get_mut(context.group)?;
        Some((context, group))
    }

    /// Returns a context by its number.
    pub fn context(&self, number: u32) -> Option<&Context> {
        self.contexts.get(number as usize)?.as_ref()
    }

    /// Returns the size of a surface.
    pub fn surface_size(&self, number: u32) -> Option<(i32, i32)> {
        let request = self.surfaces.get(number as usize)?.as_ref()?.description.request;
        Some((request.width, request.height))
    }

    /// Records that the current context has drawn.
    #[inline]
    pub fn drew(&mut self) {
        let Some((context, _)) = self.current() else { return };
        let side = context.sides.draw;
        if context.draw_framebuffer == 0
            && let Some(Some(surface)) = self.surfaces.get_mut(self.active.draw as usize)
        {
            surface.drawn = true;
            if let Some(front) = &mut surface.front {
                front.drew(side);
            }
        }
    }

    /// Returns whether the draw framebuffer of the current context is a framebuffer object, or a surface that was drawn to.
    pub fn drawn(&mut self) -> bool {
        let draw = self.active.draw as usize;
        let surface = self.current().is_none_or(|(context, _)| context.draw_framebuffer == 0);
        !surface || self.surfaces.get(draw).and_then(Option::as_ref).is_some_and(|surface| surface.drawn)
    }

    /// Returns whether the read framebuffer of the current context is a framebuffer object, or a surface that was drawn to.
    pub fn readable(&mut self) -> bool {
        let read = self.active.read as usize;
        let surface = self.current().is_none_or(|(context, _)| context.read_framebuffer == 0);
        !surface || self.surfaces.get(read).and_then(Option::as_ref).is_none_or(|surface| surface.drawn)
    }

    /// Returns the driver's name of an object of the current context.
    #[inline]
    pub fn real_name(&mut self, space: Namespace, recorded: u32) -> u32 {
        if recorded == 0 {
            return 0;
        }
        if space == Namespace::Framebuffer {
            return self.real_framebuffer(recorded);
        }
        self.names(space).map_or(recorded, |names| names.real(recorded))
    }

    /// Returns the names of a kind of object in the current context.
    #[inline]
    pub fn names(&mut self, space: Namespace) -> Option<&mut NameMap> {
        let context = self.contexts.get_mut(self.active.context as usize)?.as_mut()?;
        let names = match space {
            _ if of_context(space) => &mut context.names,
            Namespace::Texture => &mut self.groups.get_mut(context.textures)?.names,
            _ => &mut self.groups.get_mut(context.group)?.names,
        };
        names.get_mut(space as usize)
    }

    /// Framebuffers belong to contexts since GL 3.0, but `EXT_framebuffer_object` shares them, and some drivers always do: a
    /// name that this context did not create may belong to another context of the share group.
    fn real_framebuffer(&mut self, recorded: u32) -> u32 {
        let active = self.active.context as usize;
        let known = self.names(Namespace::Framebuffer).and_then(|names| names.get(recorded));
        if let Some(real) = known {
            return real;
        }
        let group = self.contexts.get(active).and_then(Option::as_ref).map(|context| context.group);
        let siblings = self.contexts.iter().flatten().filter(|context| Some(context.group) == group);
        let theirs =
            siblings.filter_map(|context| context.names.get(Namespace::Framebuffer as usize)?.get(recorded)).next();
        match (theirs, self.names(Namespace::Framebuffer)) {
            (Some(real), _) => real,
            (None, Some(names)) => names.real(recorded),
            (None, None) => recorded,
        }
    }

    fn activate(&mut self, seat: Seat) -> Result<(), ReplayError> {
        if seat == self.active {
            return Ok(());
        }
        let Some(context) = self.context(seat.context).map(|context| (context.real, context.client)) else {
            self.gl.make_current(None, None, None)?;
            self.active = Seat::default();
            return if seat.context == 0 { Ok(()) } else { Err(ReplayError::NoContext { number: seat.context }) };
        };
        if self.fronts {
            return self.take_seat_with_fronts(seat);
        }
        let draw = self.pbuffer(seat.draw, context.1)?;
        let read = if seat.read == seat.draw { draw } else { self.pbuffer(seat.read, context.1)? };
        self.gl.make_current(Some(context.0), draw, read)?;
        self.active = seat;
        Ok(())
    }

    fn pbuffer(&mut self, number: u32, client: Client) -> Result<Option<SurfaceHandle>, ReplayError> {
        if number == 0 {
            return Ok(None);
        }
        let surface = self.surfaces.get_mut(number as usize).and_then(Option::as_mut);
        let surface = surface.ok_or(ReplayError::NoSurface { number })?;
        if surface.pbuffer.is_none() {
            surface.pbuffer = Some(self.gl.new_surface(&surface.description.request, client)?);
        }
        Ok(surface.pbuffer)
    }
}

/// Returns whether objects of a kind belong to a context rather than to its share group (GL 4.6, 2.6).
fn of_context(space: Namespace) -> bool {
    matches!(
        space,
        Namespace::Framebuffer
            | Namespace::VertexArray
            | Namespace::Query
            | Namespace::ProgramPipeline
            | Namespace::TransformFeedback
            | Namespace::PerfMonitor
    )
}

fn place(number: u32, what: &'static str) -> Result<usize, ReplayError> {
    if number == 0 || number >= MOST { Err(ReplayError::Number { what, number }) } else { Ok(number as usize) }
}

fn thread_place(number: u32) -> Result<usize, ReplayError> {
    if number >= MOST { Err(ReplayError::Number { what: "thread", number }) } else { Ok(number as usize) }
}

fn put<T>(list: &mut Vec<Option<T>>, place: usize, value: T) {
    if list.len() <= place {
        list.resize_with(place + 1, || None);
    }
    list[place] = Some(value);
}
