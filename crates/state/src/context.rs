//! A context.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::constant as c;
pub use api::when::Client;
use api::when::When;
use imbl::OrdMap;

use crate::annotation::DebugGroups;
use crate::fault::Fault;
use crate::fixed::{Current, Fixed};
use crate::limits::Limits;
use crate::objects::assembly::AssemblyState;
use crate::objects::buffer::BufferBindings;
use crate::objects::framebuffer::{Framebuffer, Targets};
use crate::objects::list::Compiling;
use crate::objects::pipeline::Pipeline;
use crate::objects::query::{ActiveQueries, Query};
use crate::objects::texture::Units;
use crate::objects::transform_feedback::TransformFeedback;
use crate::objects::vertex_array::VertexArray;
use crate::variable;
use crate::vars::Vars;

/// A context: state that is not shared.
#[derive(Clone, Debug)]
pub struct Context {
    /// Properties that never change.
    pub facts: Arc<Facts>,
    /// Index of its share group in the model.
    pub group: usize,
    /// Its realm there; see [`crate::ShareGroup::realm`].
    pub realm: u32,
    /// The error that `glGetError` will return.
    pub error: Option<Fault>,
    /// Plain state.
    pub vars: Vars,
    /// Whether the context has ever been current: then its viewport is that of the surface (GL 4.6, 13.8.1).
    pub was_current: bool,
    /// Framebuffers by name; the default framebuffer is not among them.
    pub framebuffers: OrdMap<u32, Arc<Framebuffer>>,
    /// Bindings of framebuffers and renderbuffers.
    pub targets: Targets,
    /// Bindings of textures, samplers and images.
    pub units: Units,
    /// Vertex arrays by name; 0 is the default one.
    pub vertex_arrays: OrdMap<u32, Arc<VertexArray>>,
    /// Queries by name.
    pub queries: OrdMap<u32, Arc<Query>>,
    /// Program pipelines by name.
    pub pipelines: OrdMap<u32, Arc<Pipeline>>,
    /// Transform feedback objects by name; 0 is the default one.
    pub transform_feedbacks: OrdMap<u32, Arc<TransformFeedback>>,

    /// State of the fixed-function pipeline.
    pub fixed: Arc<Fixed>,
    /// Current vertex attributes.
    pub current: Arc<Current>,
    /// The display list that is being compiled.
    pub compiling: Option<Arc<Compiling>>,
    /// Buffer bindings.
    pub buffers: BufferBindings,
    /// The name of the bound vertex array.
    pub vertex_array: u32,
    /// The name of the bound transform feedback object.
    pub transform_feedback: u32,
    /// Active queries.
    pub active_queries: ActiveQueries,

    /// The program that `glUseProgram` made current, 0 for none.
    pub program: u32,
    /// The bound program pipeline, 0 for none.
    pub pipeline: u32,
    /// Selected subroutines, by stage of `pipeline::STAGES` and location.
    pub subroutines: Arc<[Vec<u32>; 6]>,
    /// Assembly programs and their parameters.
    pub assembly: Arc<AssemblyState>,
    /// The groups of commands that are open.
    pub debug_groups: Arc<DebugGroups>,
}

/// Properties of a context that are fixed at its creation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// Its number in the trace.
    pub number: u32,
    /// Desktop GL or GLES, and its profile.
    pub client: Client,
    /// Its version as reported by itself, such as (4, 5).
    pub version: (u32, u32),
    /// `GL_CONTEXT_FLAGS`.
    pub flags: u32,
    /// Vendor, renderer and version, from `glGetString`.
    pub strings: [String; 3],
    /// Its extensions.
    pub extensions: BTreeSet<String>,
    /// Its extensions in GL's order.
    pub extension_list: Vec<String>,
    /// Implementation-dependent values.
    pub limits: Limits,
}

/// Returns whether an OpenGL ES of this name computes `mediump` and `lowp` in 32 bits, whatever the driver below it does with
/// OpenGL ES.
///
/// ANGLE names what is below it last: `ANGLE (vendor, device, OpenGL 4.5 …)`. Its shaders for desktop GL have no precisions,
/// and SwiftShader ignores them.
#[must_use]
pub fn has_one_precision(renderer: &str) -> bool {
    let Some((_, inside)) = renderer.split_once("ANGLE (") else { return false };
    let below = inside.rsplit(", ").next().unwrap_or_default();
    below.starts_with("SwiftShader") || below.starts_with("OpenGL ") && !below.starts_with("OpenGL ES")
}

impl Facts {
    /// Returns whether its OpenGL ES computes `mediump` and `lowp` in 32 bits; see [`has_one_precision`].
    #[must_use]
    pub fn has_one_precision(&self) -> bool {
        has_one_precision(&self.strings[1])
    }

    /// Returns whether this is desktop GL of at least that version.
    #[must_use]
    pub fn desktop(&self, major: u32, minor: u32) -> bool {
        matches!(self.client, Client::Compatibility | Client::Core) && self.version >= (major, minor)
    }

    /// Returns whether this is OpenGL ES 2 or later of at least that version.
    #[must_use]
    pub fn es(&self, major: u32, minor: u32) -> bool {
        self.client == Client::Es2 && self.version >= (major, minor)
    }

    /// Returns whether something exists in it.
    #[must_use]
    pub fn meets(&self, when: &When) -> bool {
        when.exists(self.client, self.version, |extension| self.has(extension))
    }

    /// Returns whether the driver may be Mesa itself, and is not a layer on top of it or another driver.
    #[must_use]
    pub fn is_mesa(&self) -> bool {
        self.strings[2].is_empty() || self.strings[2].contains("Mesa")
    }

    /// Returns whether it has an extension, such as `GL_ARB_debug_output`.
    #[must_use]
    pub fn has(&self, extension: &str) -> bool {
        self.extensions.contains(extension)
    }
}

impl Context {
    /// Returns the texture unit that `glBindTexture` binds to: `GL_ACTIVE_TEXTURE` less `GL_TEXTURE0`.
    #[inline]
    #[must_use]
    pub fn active_unit(&self) -> u32 {
        self.vars.name(variable::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0)
    }

    /// Returns whether pixel transfer operations change pixels (GL 4.6 compatibility, 8.4.4.6).
    #[must_use]
    pub fn transfers_pixels(&self) -> bool {
        use variable as var;
        let is = |variable, neutral: f64| self.vars.get(variable) == neutral;
        let plain = is(var::MAP_COLOR, 0.0)
            && is(var::MAP_STENCIL, 0.0)
            && [var::RED_SCALE, var::GREEN_SCALE, var::BLUE_SCALE, var::ALPHA_SCALE, var::DEPTH_SCALE]
                .into_iter()
                .all(|scale| is(scale, 1.0))
            && [var::RED_BIAS, var::GREEN_BIAS, var::BLUE_BIAS, var::ALPHA_BIAS, var::DEPTH_BIAS]
                .into_iter()
                .all(|bias| is(bias, 0.0))
            && is(var::INDEX_SHIFT, 0.0)
            && is(var::INDEX_OFFSET, 0.0);
        !plain
    }

    /// Returns the fixed-function state for modification.
    #[inline]
    pub fn fixed_mut(&mut self) -> &mut Fixed {
        Arc::make_mut(&mut self.fixed)
    }

    /// Creates a context in GL's initial state.
    #[must_use]
    pub fn new(facts: Arc<Facts>, group: usize) -> Context {
        // The numbers of unnamed objects are beyond those that `ShareGroup::next_object` returns.
        let unnamed = |kind| 1 << 63 | u64::from(facts.number) << 8 | kind;
        let vertex_array = VertexArray { exists: true, ..VertexArray::new(unnamed(0)) };
        let feedback = TransformFeedback { exists: true, object: unnamed(1), ..TransformFeedback::default() };
        Context {
            realm: 0,
            vars: Vars::initial(&facts),
            fixed: Arc::new(Fixed::new(&facts)),
            current: Arc::new(Current::default()),
            units: Units::new(&facts),
            targets: Targets::default(),
            compiling: None,
            facts,
            group,
            error: None,
            was_current: false,
            framebuffers: OrdMap::new(),
            vertex_arrays: OrdMap::unit(0, Arc::new(vertex_array)),
            queries: OrdMap::new(),
            pipelines: OrdMap::new(),
            transform_feedbacks: OrdMap::unit(0, Arc::new(feedback)),
            buffers: BufferBindings::default(),
            vertex_array: 0,
            transform_feedback: 0,
            active_queries: ActiveQueries::default(),
            program: 0,
            pipeline: 0,
            subroutines: Arc::default(),
            assembly: Arc::default(),
            debug_groups: Arc::default(),
        }
    }
}
