//! A program and its inputs.

use driver::{Api, Assembly, Attribute, Channel, Image, Operation, Output, Shape, Uniform};
use instrument::inspect::Run;
use instrument::{Scope, Transport, Variant};
use shader::version::{Options, Profile, Stage, Version};

use crate::raw;

/// A program and everything it is run with.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The kind of context it is for.
    pub api: Api,
    /// Its shaders, in the order of the pipeline.
    pub shaders: Vec<(Stage, Vec<String>)>,
    /// Values of uniforms; a scalar of 64 bits is two words, the low half first.
    pub uniforms: Vec<Uniform>,
    /// Textures that samplers read.
    pub images: Vec<Image>,
    /// Vertex attributes.
    pub attributes: Vec<Attribute>,
    /// The draw or dispatch.
    pub work: Operation,
    /// Width and height of the render target.
    pub size: [u16; 2],
    /// The outputs of the fragment shader that are read back.
    pub outputs: Vec<Output>,
    /// The size in words of each storage block that the shaders declare themselves; initially all zero.
    pub buffer_words: u32,
}

/// Sources of shaders by stage.
pub(crate) type Shaders = Vec<(Stage, Vec<String>)>;

/// A quad that covers clip space: its corners as an attribute of this name, and the draw.
#[must_use]
pub fn quad(name: &str) -> (Attribute, Operation) {
    let values = vec![[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];
    (
        Attribute { name: name.to_owned(), values },
        Operation::Draw { assembly: Assembly::Fan, vertices: 4, instances: 1 },
    )
}

impl Scenario {
    /// The options to parse a shader of this stage with.
    #[must_use]
    pub fn options(&self, stage: Stage) -> Options {
        let mut options = Options::new(stage);
        if self.api == Api::Es {
            options.default_version = Version { number: 100, profile: Profile::Es };
        }
        options
    }

    /// The program's sources, with those of the variant in place of its stage's.
    pub(crate) fn with_variant(&self, variant: Option<(&Variant, Stage)>) -> Shaders {
        let mut shaders = self.shaders.clone();
        let Some((variant, stage)) = variant else { return shaders };
        let mut put = |stage: Stage, text: &Vec<String>| match shaders.iter_mut().find(|(of, _)| *of == stage) {
            Some((_, strings)) => strings.clone_from(text),
            None => shaders.push((stage, text.clone())),
        };
        put(stage, &variant.strings);
        if let Some(fragment) = &variant.fragment {
            put(Stage::Fragment, fragment);
        }
        shaders
    }

    /// The setup for running the program itself.
    pub(crate) fn plain(&self) -> RunSetup {
        let [width, height] = self.size;
        RunSetup {
            uniforms: self.uniforms.clone(),
            attributes: self.attributes.clone(),
            work: self.work,
            size: self.size,
            rectangle: [0, 0, width, height],
        }
    }

    /// The setup for running a variant.
    pub(crate) fn setup(&self, variant: &Variant, stage: Stage, scope: Scope, run: Run) -> RunSetup {
        let mut all = self.plain();
        let controls = &variant.controls;
        if let (Some(name), Operation::Draw { vertices, .. }) = (&controls.vertex, self.work) {
            let values = (0..vertices).map(|number| [f32::from(number), 0.0, 0.0, 1.0]).collect();
            all.attributes.push(Attribute { name: name.clone(), values });
        }
        if stage == Stage::Fragment {
            all.rectangle = raw::rectangle(scope, run.pick, self.size, controls.upper_left);
        }
        if let (Transport::PointGrid, Operation::Draw { vertices, instances, .. }) = (variant.transport, self.work) {
            all.size = [GRID, vertices.div_ceil(GRID).max(1)];
            all.rectangle = [0, 0, all.size[0], all.size[1]];
            all.work = Operation::Draw { assembly: Assembly::Points, vertices, instances };
        }
        let mut control = |name: &str, words: Vec<u32>| {
            let shape = Shape { columns: 1, rows: words.len() as u8 };
            all.uniforms.push(Uniform { name: name.to_owned(), channel: Channel::Int, shape, words });
        };
        control(&controls.on, vec![u32::from(run.on)]);
        control(&controls.pick, run.pick.map(i32::cast_unsigned).to_vec());
        control(&controls.base, vec![run.base]);
        control(&controls.regions, vec![run.room[1]]);
        control(&controls.grid, all.size.map(u32::from).to_vec());
        all
    }
}

/// The width of the target when each vertex is drawn as a point.
const GRID: u16 = 64;

/// The inputs of one run.
pub(crate) struct RunSetup {
    pub uniforms: Vec<Uniform>,
    pub attributes: Vec<Attribute>,
    pub work: Operation,
    pub size: [u16; 2],
    /// The rectangle that is drawn: left, bottom, width and height.
    pub rectangle: [u16; 4],
}
