//! What a program is run with.

use driver::{Api, Assembly, Attribute, Channel, Image, Output, Shape, Uniform, Work};
use instrument::Variant;
use instrument::inspect::Run;
use shader::version::{Options, Profile, Stage, Version};

/// A program and everything it is run with.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The kind of context it is for.
    pub api: Api,
    /// Its shaders, in the order of the pipeline.
    pub shaders: Vec<(Stage, Vec<String>)>,
    /// Values of uniforms; a scalar of 64 bits is two words, the low half first.
    pub uniforms: Vec<Uniform>,
    /// What samplers read.
    pub images: Vec<Image>,
    /// Vertex attributes.
    pub attributes: Vec<Attribute>,
    /// What is done.
    pub work: Work,
    /// Width and height of what is drawn to.
    pub size: [u16; 2],
    /// The outputs of the fragment shader that are looked at.
    pub outputs: Vec<Output>,
    /// Words of every storage block the shaders have themselves; all zero.
    pub buffer_words: u32,
}

/// The corners of clip space, as an attribute of this name.
#[must_use]
pub fn quad(name: &str) -> (Attribute, Work) {
    let values = vec![[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];
    (Attribute { name: name.to_owned(), values }, Work::Draw { assembly: Assembly::Fan, vertices: 4, instances: 1 })
}

impl Setting {
    /// How a shader of it is read.
    #[must_use]
    pub fn options(&self, stage: Stage) -> Options {
        let mut options = Options::new(stage);
        if self.api == Api::Es {
            options.default_version = Version { number: 100, profile: Profile::Es };
        }
        options
    }

    /// The program's texts with a variant's in the place of a stage's.
    pub(crate) fn with_variant(&self, variant: Option<(&Variant, Stage)>) -> Vec<(Stage, Vec<String>)> {
        let mut shaders = self.shaders.clone();
        let Some((variant, stage)) = variant else { return shaders };
        match shaders.iter_mut().find(|(of, _)| *of == stage) {
            Some((_, strings)) => strings.clone_from(&variant.strings),
            None => shaders.push((stage, variant.strings.clone())),
        }
        shaders
    }

    /// The uniforms of a run: the program's and those that control the variant.
    pub(crate) fn uniforms(&self, variant: &Variant, run: Run) -> Vec<Uniform> {
        let mut all = self.uniforms.clone();
        let controls = &variant.controls;
        let mut control = |name: &str, words: Vec<u32>| {
            let rows = words.len() as u8;
            let shape = Shape { columns: 1, rows };
            all.push(Uniform { name: name.to_owned(), channel: Channel::Int, shape, words });
        };
        control(&controls.on, vec![u32::from(run.on)]);
        control(&controls.pick, run.pick.map(i32::cast_unsigned).to_vec());
        control(&controls.base, vec![run.base]);
        all
    }
}
