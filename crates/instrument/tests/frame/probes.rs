//! The simplest weaver: records values of expressions before statements.

use instrument::{CompilerWorkarounds, Device, Frame, Framed, Refusal, Scope, Subject, Transport};
use shader::Shader;
use shader::ast::NodeId;
use shader::edit::Rewrite;
use shader::version::{Options, Profile, Stage, Version};

/// A shader that probes are inserted into.
pub struct Subjects {
    pub shader: Shader,
    pub options: Options,
    pub device: Device,
}

/// A value to record before the first statement that begins with a text.
pub struct Probe {
    pub before: &'static str,
    pub site: u32,
    pub expression: &'static str,
}

impl Subjects {
    pub fn new(stage: Stage, text: &str) -> Subjects {
        let mut options = Options::new(stage);
        options.default_version = Version::DEFAULT;
        let shader = shader::analyze(&[text], &options);
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        let device = Device {
            newest: Version { number: 460, profile: Profile::Compatibility },
            storage_blocks: [8; 6],
            storage_bindings: 16,
            integer_targets: true,
            float_targets: true,
            targets: 8,
            feedback_words: 64,
            extensions: [
                "GL_ARB_shader_storage_buffer_object",
                "GL_ARB_uniform_buffer_object",
                "GL_ARB_shader_bit_encoding",
            ]
            .into_iter()
            .collect(),
            style: CompilerWorkarounds::default(),
        };
        Subjects { shader, options, device }
    }

    /// The shader with probes.
    pub fn frame(&self, transport: Transport, probes: &[Probe]) -> Result<Framed, Refusal> {
        let subject = Subject { shader: &self.shader, options: &self.options, written: None };
        let mut frame = Frame::new(subject, (Scope::One, false), &self.device, transport)?;
        let mut rewrite = Rewrite::new(&self.shader);
        for probe in probes.iter().rev() {
            let shader = &self.shader;
            let statement = shader
                .statements()
                .into_iter()
                .find(|&id| shader.sources.slice(shader.written(NodeId::Stmt(id))).starts_with(probe.before));
            let statement = NodeId::Stmt(statement.expect("the statement"));
            let variable = shader
                .visible_variables(statement)
                .into_iter()
                .find(|&id| shader.preprocessed.symbols.name(shader.typed.variable(id).name) == probe.expression);
            let ty = shader.typed.variable(variable.expect("the variable")).ty;
            let note = frame.record_value(&probe.site.to_string(), ty, probe.expression)?;
            let text = frame.text(&note) + " ";
            rewrite.before(statement, &text);
        }
        let framed = frame.finish(rewrite)?;
        let read = shader::analyze(&framed.strings, &self.options);
        assert!(!read.has_errors(), "{:#?}\n{}", read.diagnostics, framed.strings.concat());
        Ok(framed)
    }
}
