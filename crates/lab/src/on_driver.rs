//! Runs a scenario on a real driver.

use driver::{Channel, Context, DriverError, Interface, Operation, Target, Trial, TrialOutput, TrialProgram};
use instrument::inspect::{InspectContext, InspectError, Raw, Run};
use instrument::{Device, Scope, Transport, Variant};
use shader::version::Stage;

use crate::capabilities::capabilities;
use crate::raw;
use crate::scenario::{RunSetup, Scenario, Shaders};

/// The number of words that transform feedback may write.
const CAPTURED: u32 = 1 << 16;

/// Runs a program on a real driver.
pub struct OnDriver {
    context: Context,
    device: Device,
    scenario: Scenario,
    /// The program linked last, with its sources: all windows of one answer come from the same variant.
    linked: Option<(Shaders, TrialProgram)>,
    outputs: Vec<Option<Vec<u32>>>,
}

impl OnDriver {
    /// Creates a context for the scenario.
    ///
    /// # Errors
    /// When there is no driver.
    pub fn new(scenario: Scenario) -> Result<OnDriver, DriverError> {
        let context = Context::new(scenario.api)?;
        let device = capabilities(&context)?;
        Ok(OnDriver { context, device, scenario, linked: None, outputs: Vec::new() })
    }

    /// Sets what the driver's compiler cannot handle, so that variants avoid it.
    #[must_use]
    pub fn sparing(mut self, style: instrument::CompilerWorkarounds) -> OnDriver {
        self.device.style = style;
        self
    }

    /// Switches to another program in the same context.
    ///
    /// # Errors
    /// When a context of another kind is needed and cannot be created.
    pub fn change(&mut self, scenario: Scenario) -> Result<(), DriverError> {
        self.forget();
        if scenario.api != self.scenario.api {
            self.context = Context::new(scenario.api)?;
            self.device = capabilities(&self.context)?;
        }
        self.scenario = scenario;
        Ok(())
    }

    /// The program and its inputs.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The shader's own outputs of the last run, in the order of the scenario's list, four words per pixel; `None` for
    /// an inactive output, and for all of them if the variant wrote other targets.
    #[must_use]
    pub fn outputs(&self) -> &[Option<Vec<u32>>] {
        &self.outputs
    }

    /// Runs the program without a variant.
    ///
    /// # Errors
    /// When the driver rejects the program or the run fails.
    pub fn run_plain(&mut self) -> Result<(), InspectError> {
        let setup = self.scenario.plain();
        self.perform(None, &setup, None).map(|_| ())
    }

    fn forget(&mut self) {
        if let Some((_, program)) = self.linked.take() {
            self.context.disassemble(program);
        }
        self.outputs.clear();
    }

    /// Links the program with a variant, unless it is the one linked last.
    fn link(&mut self, variant: Option<(&Variant, Stage)>, setup: &RunSetup) -> Result<(), InspectError> {
        let shaders = self.scenario.with_variant(variant);
        if self.linked.as_ref().is_some_and(|(linked, _)| *linked == shaders) {
            return Ok(());
        }
        self.forget();
        let strings: Vec<(Stage, Vec<&str>)> =
            shaders.iter().map(|(stage, strings)| (*stage, strings.iter().map(String::as_str).collect())).collect();
        let strings: Vec<(Stage, &[&str])> = strings.iter().map(|(stage, s)| (*stage, &s[..])).collect();
        let attributes: Vec<&str> = setup.attributes.iter().map(|a| a.name.as_str()).collect();
        let controls = variant.map(|(variant, _)| (&variant.controls.outputs, variant.transport));
        let names: Vec<&str> = controls.iter().flat_map(|(names, _)| names.iter().map(String::as_str)).collect();
        let captured = matches!(controls, Some((_, Transport::Feedback(_))));
        let interface = Interface {
            attributes: &attributes,
            outputs: if captured { &[] } else { &names },
            captured: if captured { &names } else { &[] },
        };
        let program = self.context.assemble(&strings, interface).map_err(|error| match error {
            DriverError::NotLinked { log } => {
                let source_text = variant.map_or(String::new(), |(variant, _)| variant.strings.concat());
                InspectError::Rejected { log, source_text }
            }
            other => InspectError::Failed(other.to_string()),
        })?;
        self.linked = Some((shaders, program));
        Ok(())
    }

    fn perform(
        &mut self,
        variant: Option<(&Variant, Stage)>,
        setup: &RunSetup,
        block: Option<(&str, &[u32])>,
    ) -> Result<TrialOutput, InspectError> {
        self.link(variant, setup)?;
        let Some((_, program)) = &self.linked else { return Err(InspectError::Failed("no program".to_owned())) };
        let transport = variant.map_or(Transport::Storage, |(variant, _)| variant.transport);
        let own = raw::targets(transport);
        let mut locations = Vec::new();
        let mut targets = own.clone().unwrap_or_default();
        if own.is_none() && matches!(self.scenario.work, Operation::Draw { .. }) {
            for output in &self.scenario.outputs {
                let location = self.context.output_number(program, &output.name).map_err(failed)?;
                locations.push(location.filter(|location| *location < self.device.targets as usize));
                let Some(location) = locations[locations.len() - 1] else { continue };
                targets.resize(targets.len().max(location + 1), Target::Rgba32F);
                targets[location] = match output.channel {
                    Channel::Float => Target::Rgba32F,
                    Channel::Int => Target::Rgba32I,
                    Channel::Uint => Target::Rgba32Ui,
                };
            }
        }
        let block: Vec<(&str, &[u32])> = block.into_iter().collect();
        let captured_words = if matches!(transport, Transport::Feedback(_)) { CAPTURED } else { 0 };
        let trial = Trial {
            operation: setup.work,
            attributes: &setup.attributes,
            uniforms: &setup.uniforms,
            images: &self.scenario.images,
            size: setup.size,
            scissor: Some(setup.rectangle),
            targets: &targets,
            storage: &block,
            other_storage: self.scenario.buffer_words,
            captured_words,
        };
        let found = self.context.perform(program, &trial).map_err(failed)?;
        let output = |location: &Option<usize>| location.and_then(|location| found.targets.get(location).cloned());
        self.outputs = locations.iter().map(output).collect();
        Ok(found)
    }
}

impl InspectContext for OnDriver {
    fn device(&self) -> &Device {
        &self.device
    }

    fn run(&mut self, variant: &Variant, stage: Stage, scope: Scope, run: Run) -> Result<Raw, InspectError> {
        raw::check(variant.transport)?;
        let setup = self.scenario.setup(variant, stage, scope, run);
        let storage = (variant.transport == Transport::Storage).then(|| raw::block(run));
        let block = storage.as_deref().map(|words| (variant.controls.block.as_str(), words));
        let mut found = self.perform(Some((variant, stage)), &setup, block)?;
        match variant.transport {
            Transport::Storage => Ok(Raw::Block(found.storage.pop().unwrap_or_default())),
            Transport::Feedback(_) => Ok(raw::list(variant.transport, found.captured)),
            transport => raw::grid(transport, &found.targets, setup.rectangle, setup.size[0]),
        }
    }
}

impl Drop for OnDriver {
    fn drop(&mut self) {
        self.forget();
    }
}

#[allow(clippy::needless_pass_by_value, reason = "`map_err` passes it by value")]
fn failed(error: DriverError) -> InspectError {
    InspectError::Failed(error.to_string())
}
