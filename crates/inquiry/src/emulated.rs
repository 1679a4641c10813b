//! A draw's shader on the emulator as a device that runs variants: the same texts, the same streams of words.
//!
//! Streams lie in variables of the variant ([`Transport::Memory`]) and are read when an invocation is over, so every
//! stage of every language has a way out, and what the shader writes stays what it would be. What is made once stays:
//! contents for the draw, a program for as long as the same variant is asked.

mod feed;
mod quads;
mod shade;

use device::Changes;
use emulator::wave::Observer;
use instrument::inspect::{Identity, InspectContext, Raw, Run};
use instrument::stream::IDENTITY;
use instrument::{CompilerWorkarounds, Device, InspectError, Scope, Transport, Variant};
use pipeline::{BoundResources, Program};
use reenact::Scene;
use shader::version::{Profile, Stage, Version};
use texture::Bound;

use crate::{DrawSnapshot, Inputs};
pub use quads::Quad;
pub use shade::{Shaded, Shading, Waves, spread};

/// Words of a stream that one run of an invocation gives.
pub(crate) const WINDOW: u32 = 4096;

/// Invocations of a draw, on the CPU.
pub struct Emulated<'w> {
    work: &'w DrawSnapshot,
    stage: Stage,
    inputs: Inputs,
    scene: Scene,
    surroundings: BoundResources,
    device: Device,
    /// Uniforms that are otherwise than recorded.
    uniforms: Vec<(String, Vec<f64>)>,
    /// The last variant, as a program.
    last: Option<(Vec<String>, Program)>,
}

impl<'w> Emulated<'w> {
    pub(crate) fn new(
        work: &'w DrawSnapshot,
        stage: Stage,
        inputs: Inputs,
        mut scene: Scene,
        changes: &Changes,
    ) -> Result<Emulated<'w>, InspectError> {
        let newest = match work.device.newest.profile {
            Profile::Es => Version { number: 320, profile: Profile::Es },
            profile => Version { number: 460, profile },
        };
        let device = Device {
            newest,
            storage_blocks: [0; 6],
            storage_bindings: 0,
            integer_targets: false,
            float_targets: false,
            targets: 1,
            feedback_words: 0,
            extensions: work.device.extensions.clone(),
            style: CompilerWorkarounds::default(),
        };
        let view = work.view().map_err(|error| InspectError::Failed(error.to_string()))?;
        for (name, picture) in &changes.textures {
            let size = [picture.width, picture.height];
            scene.replace_texture(&view, name, size, &picture.rgba).map_err(InspectError::Failed)?;
        }
        let uniforms = changes.uniforms.clone();
        change(&mut scene.program, &uniforms)?;
        let surroundings = BoundResources::new(&scene.state);
        Ok(Emulated { work, stage, inputs, scene, surroundings, device, uniforms, last: None })
    }

    /// The stage.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Asks about another invocation of the draw from now on.
    pub fn turn_to(&mut self, inputs: Inputs) {
        self.inputs = inputs;
    }

    /// Which invocation it is.
    #[must_use]
    pub fn pick(&self) -> Identity {
        self.inputs.who
    }

    /// The draw: its program and everything that is bound.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What could not be read from the trace: reads of it return zeros.
    #[must_use]
    pub fn missing(&self) -> &[String] {
        &self.scene.missing
    }

    /// Has look-ups return a bound of what filters that are not known exactly may give, or what they give.
    pub(crate) fn bound_filters(&mut self, bound: Option<Bound>) {
        self.scene.state.units.values_mut().for_each(|(_, sampler)| sampler.bound = bound);
        self.surroundings = self.surroundings.with_units_of(&self.scene.state);
    }

    /// How the emulator deviates from the specifications, and what it cannot judge, for the user.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let filters = self.scene.has_unknown_filters().then(|| {
            "anisotropic filters are the driver's own, so look-ups with them are judged by the texels that they may average"
                .to_owned()
        });
        let notes: Vec<String> = [self.work.manner.note(), filters].into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// Runs an invocation of the program as it was recorded, and tells an observer of it: what it gives on. The lane
    /// of the invocation among the four is [`Inputs::lane`]; its neighbours in the quad of a fragment run too.
    ///
    /// # Errors
    /// When it does not end.
    pub fn shade(&self, inputs: &Inputs, observer: &mut dyn Observer<4>) -> Result<Shaded, InspectError> {
        let (all, quad) = (std::slice::from_ref(inputs), Quad::alone(inputs, 0));
        let mut shaded = None;
        self.shading(&self.scene.program).run::<4>(all, &[quad], observer, &mut |_, wave, lane| {
            shaded = Some(Shaded::new(&self.scene.program, self.stage, wave, lane));
        })?;
        shaded.ok_or_else(|| InspectError::Failed("the invocation did not run".to_owned()))
    }

    /// What a variant answers for each of these inputs: the words of its stream, as far as they are in the first
    /// window. Nothing for those that do not answer.
    ///
    /// # Errors
    /// When the emulator does not take the variant, or it does not end.
    pub fn answers(&mut self, variant: &Variant, inputs: &[Inputs]) -> Result<Vec<Vec<u32>>, InspectError> {
        let mut all = self.windows(variant, inputs, 0)?;
        for words in &mut all {
            words.truncate(words.first().map_or(0, |&length| length as usize));
        }
        Ok(all)
    }

    /// What a [recomputation](instrument::Question::Recomputation) answers for an invocation, with a stream to take values
    /// from or without.
    ///
    /// # Errors
    /// When the emulator does not take the variant, or it does not end.
    pub(crate) fn answer_given(
        &mut self,
        variant: &Variant,
        inputs: &Inputs,
        stream: Option<&[u32]>,
    ) -> Result<Vec<u32>, InspectError> {
        let window = memory(variant)?;
        let mut program = self.taken(variant)?;
        program.set_uniform(&variant.controls.base, &[0]);
        let mut given = stream.unwrap_or_default().to_vec();
        given.resize(window as usize, 0);
        given[0] = u32::from(stream.is_some());
        let presets: Vec<_> = variant.controls.given().into_iter().map(|name| (name, given.as_slice())).collect();
        let words = self.shading(&program).window_given(inputs, (&variant.controls.outputs, window), &presets);
        self.last = Some((variant.strings.clone(), program));
        let mut words = words?;
        words.truncate(words.first().map_or(0, |&length| length as usize));
        Ok(words)
    }

    /// A window of the stream of each of these inputs.
    fn windows(&mut self, variant: &Variant, inputs: &[Inputs], base: u32) -> Result<Vec<Vec<u32>>, InspectError> {
        let window = memory(variant)?;
        let mut program = self.taken(variant)?;
        program.set_uniform(&variant.controls.base, &[base]);
        let shading = self.shading(&program);
        let windows = shading.windows(inputs, (&variant.controls.outputs, window));
        self.last = Some((variant.strings.clone(), program));
        windows
    }

    fn shading<'a>(&'a self, program: &'a Program) -> Shading<'a> {
        let Emulated { scene, surroundings, stage, .. } = self;
        Shading {
            state: &scene.state,
            moments: &scene.moments,
            surroundings,
            program,
            stage: *stage,
            effort: scene.effort.as_ref(),
        }
    }

    /// The variant as a program, which may be known.
    fn taken(&mut self, variant: &Variant) -> Result<Program, InspectError> {
        match self.last.take() {
            Some((strings, program)) if strings == variant.strings => Ok(program),
            _ => self.program(variant),
        }
    }

    /// The variant as a program, with the uniforms that were recorded.
    fn program(&self, variant: &Variant) -> Result<Program, InspectError> {
        let facts = self.work.facts(self.stage).map_err(|error| InspectError::Failed(error.to_string()))?;
        let shader = shader::analyze(&variant.strings, &facts.options);
        let source_text = || variant.strings.concat();
        if shader.has_errors() {
            let log: Vec<&str> = shader.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
            return Err(InspectError::Rejected { log: log.join("\n"), source_text: source_text() });
        }
        let view = self.work.view().map_err(|error| InspectError::Failed(error.to_string()))?;
        let program = reenact::program(&view, self.work.calls.work, vec![shader], self.scene.quirks);
        let mut program = program
            .map_err(|refusal| InspectError::Rejected { log: refusal.to_string(), source_text: source_text() })?;
        reenact::give_uniforms(&mut program, facts.uniforms());
        program.set_uniform(&variant.controls.on, &[1]);
        program.set_uniform(&variant.controls.pick, &[u32::MAX; 4]);
        change(&mut program, &self.uniforms)?;
        Ok(program)
    }
}

impl InspectContext for Emulated<'_> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn run(&mut self, variant: &Variant, _: Stage, _: Scope, run: Run) -> Result<Raw, InspectError> {
        let inputs = self.inputs.clone();
        let window = self.windows(variant, std::slice::from_ref(&inputs), run.base)?.swap_remove(0);
        let mut words = Vec::with_capacity(IDENTITY as usize + window.len());
        words.extend(inputs.who.map(i32::cast_unsigned));
        words.extend(window);
        Ok(Raw::List(words))
    }
}

/// How many words of a stream a variant keeps.
fn memory(variant: &Variant) -> Result<u32, InspectError> {
    match variant.transport {
        Transport::Memory(window) => Ok(window),
        _ => Err(InspectError::Failed("the emulator is looked into; no other way out is needed".to_owned())),
    }
}

/// Gives uniforms other values than were recorded.
fn change(program: &mut Program, uniforms: &[(String, Vec<f64>)]) -> Result<(), InspectError> {
    for (name, numbers) in uniforms {
        reenact::set_uniform(program, name, numbers).map_err(InspectError::Failed)?;
    }
    Ok(())
}
