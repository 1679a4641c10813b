//! Windows in colour targets, and a shader that writes nothing else.

use shader::ast::{DeclId, DeclKind, ExprKind, NodeId};
use shader::edit::Rewrite;
use shader::qualifier::{Qualifiers, Storage};
use shader::types::{Precision, Type};
use shader::version::Stage;

use super::Frame;
use super::language::lacks;
use super::word::Words;
use crate::device::Transport;
use crate::variant::Refusal;

/// Built-in outputs, and their replacements. Depth and sample mask stay: they determine what is visible.
const BUILTIN: &[(&str, &str)] = &[
    ("gl_FragColor", "vec4 $FragColor"),
    ("gl_FragData", "vec4 $FragData[gl_MaxDrawBuffers]"),
    ("gl_SecondaryFragColorEXT", "vec4 $SecondaryFragColor"),
    ("gl_SecondaryFragDataEXT", "vec4 $SecondaryFragData[gl_MaxDualSourceDrawBuffersEXT]"),
    ("gl_LastFragData", ""),
    ("gl_LastFragColorARM", ""),
];

impl Frame<'_> {
    pub(super) fn open_targets(&mut self) -> Result<(), Refusal> {
        let version = self.language.version;
        if self.language.stage != Stage::Fragment {
            return Err(Refusal::Impossible("only fragment shaders write colour targets".to_owned()));
        }
        let integer = matches!(self.transport, Transport::IntegerTargets(_));
        if integer && !(self.language.integers && self.device.integer_targets) {
            return Err(lacks(version, "integer outputs"));
        }
        if matches!(self.transport, Transport::FloatTargets(_)) && !self.device.float_targets {
            return Err(lacks(version, "float targets"));
        }
        if self.targets() > self.device.targets.max(1) {
            return Err(Refusal::Impossible(format!("the device has no {} colour targets", self.targets())));
        }
        self.check_outputs()?;
        if !self.language.integers {
            self.words = Words::Bytes;
        }
        self.open_words();
        let sink = self.window_sink();
        self.open_common(&sink);
        let mut declared = String::new();
        for (name, text) in BUILTIN {
            if self.mentions(name) && !text.is_empty() {
                let precision = if self.language.version.is_es() { "mediump " } else { "" };
                declared.push_str(&format!("{precision}{text};\n"));
            }
        }
        if self.language.integers {
            let ty = if integer { "uvec4" } else { "vec4" };
            for target in 0..self.targets() {
                let location =
                    if version.at_least(330, 300) { format!("layout(location = {target}) ") } else { String::new() };
                declared.push_str(&format!("{location}out `{ty} $target{target};\n"));
            }
        }
        self.add(&declared);
        let ends = self.window_ends("", &self.export());
        self.add(&ends);
        self.add("void $discard() { $discarded = true; $live = false; }\n");
        Ok(())
    }

    /// The number of targets.
    pub(super) fn targets(&self) -> u32 {
        match self.transport {
            Transport::IntegerTargets(count) | Transport::FloatTargets(count) => count,
            _ => 1,
        }
    }

    /// The names bound to colour numbers.
    pub(super) fn target_names(&self) -> Vec<String> {
        if self.language.integers {
            return (0..self.targets()).map(|target| self.name(&format!("target{target}"))).collect();
        }
        Vec::new()
    }

    /// Statements that write the window to the targets, as a template.
    fn export(&self) -> String {
        let mut text = String::new();
        for target in 0..self.targets() {
            let name = match (self.language.integers, self.targets()) {
                (true, _) => format!("$target{target}"),
                (false, 1) => "gl_FragColor".to_owned(),
                (false, _) => format!("gl_FragData[{target}]"),
            };
            let value = match (self.transport, self.words) {
                (Transport::IntegerTargets(_), _) => {
                    let words: Vec<String> = (0..4).map(|n| self.window_word(4 * target + n)).collect();
                    format!("uvec4({})", words.join(", "))
                }
                (Transport::FloatTargets(_), words) => {
                    let [a, b] = [0, 1].map(|n| self.window_word(2 * target + n));
                    match words {
                        Words::Int => {
                            format!("vec4({a} & 65535, ({a} >> 16) & 65535, {b} & 65535, ({b} >> 16) & 65535)")
                        }
                        Words::Bytes => format!("vec4({a}.xz + 256.0 * {a}.yw, {b}.xz + 256.0 * {b}.yw)"),
                    }
                }
                _ => format!("{} / 255.0", self.bytes_of_window()),
            };
            text.push_str(&format!("    {name} = {value};\n"));
        }
        text
    }

    /// Turns outputs into plain globals, and replaces `discard`.
    pub(super) fn prepare_targets(&self, rewrite: &mut Rewrite<'_>) {
        let shader = self.subject.shader;
        for (name, text) in BUILTIN {
            let Some(symbol) = shader.preprocessed.symbols.find(name) else { continue };
            let global = text.split([' ', '[']).nth(1).unwrap_or_default();
            for (index, expr) in (0..).zip(&shader.tree.exprs) {
                if expr.kind == ExprKind::Name(symbol) && !global.is_empty() {
                    rewrite.replace(NodeId::Expr(shader::ast::ExprId(index)), &self.text(global));
                }
            }
        }
        for &item in &shader.tree.items {
            if let Some(text) = self.demoted(item) {
                rewrite.replace(NodeId::Decl(item), &text);
            }
        }
        self.prepare_discard(rewrite);
    }

    /// The name of an output in the variant, for code that does not come from the shader.
    #[must_use]
    pub fn renamed(&self, name: &str) -> Option<String> {
        let targets =
            matches!(self.transport, Transport::IntegerTargets(_) | Transport::FloatTargets(_) | Transport::Bytes);
        let row = BUILTIN.iter().find(|(builtin, _)| targets && *builtin == name && self.mentions(builtin))?;
        row.1.split([' ', '[']).nth(1).map(|global| self.text(global))
    }

    /// The names of built-in outputs in the variant.
    pub(super) fn output_names(&self) -> Vec<String> {
        BUILTIN.iter().filter_map(|(name, _)| self.renamed(name)).collect()
    }

    /// The replacement of a declaration of outputs; `None` for other declarations.
    fn demoted(&self, decl: DeclId) -> Option<String> {
        let shader = self.subject.shader;
        let output = |token| {
            let variable = shader.typed.variables.iter().find(|variable| variable.declared == Some(token))?;
            let name = shader.preprocessed.symbols.name(variable.name);
            let out = matches!(variable.qualifiers.storage, Storage::Out | Storage::InOut);
            (out && !name.starts_with("gl_FragDepth") && !name.starts_with("gl_SampleMask")).then_some((name, variable))
        };
        match &shader.tree.decl(decl).kind {
            DeclKind::Variables { declarators, .. } => {
                let mut text = String::new();
                for declarator in declarators {
                    let (name, variable) = output(declarator.name.token)?;
                    if !name.starts_with("gl_") {
                        let declared = self.qualified(variable.ty, &variable.qualifiers, name);
                        text.push_str(&format!("{declared}; "));
                    }
                }
                (!text.is_empty()).then(|| text.trim_end().to_owned())
            }
            DeclKind::Qualifiers(_, names) if !names.is_empty() => {
                let is_output = |symbol| {
                    let name = shader.preprocessed.symbols.name(symbol);
                    let global = shader.typed.variables.iter().any(|variable| {
                        variable.name == symbol
                            && variable.qualifiers.storage == Storage::Out
                            && !name.starts_with("gl_FragDepth")
                    });
                    global || BUILTIN.iter().any(|(builtin, _)| *builtin == name)
                };
                names.iter().all(|name| is_output(name.symbol)).then(String::new)
            }
            _ => None,
        }
    }

    fn qualified(&self, ty: Type, qualifiers: &Qualifiers, name: &str) -> String {
        let declared = self.declarator(ty, name);
        let plain = declared.strip_prefix(self.language.highp).unwrap_or(&declared);
        let precision = match qualifiers.precision {
            Some(Precision::Low) => "lowp ",
            Some(Precision::Medium) => "mediump ",
            Some(Precision::High) => "highp ",
            None => "",
        };
        format!("{}{plain}", if self.language.version.is_es() { precision } else { "" })
    }

    fn check_outputs(&self) -> Result<(), Refusal> {
        let shader = self.subject.shader;
        let fetched = shader
            .typed
            .variables
            .iter()
            .any(|v| v.qualifiers.storage == Storage::InOut && v.kind == shader::typed::VariableKind::Global);
        let reads = BUILTIN.iter().any(|(name, text)| text.is_empty() && self.mentions(name));
        if fetched || reads {
            let text = "the shader reads the colour target it writes, so the target cannot carry answers";
            return Err(Refusal::Impossible(text.to_owned()));
        }
        Ok(())
    }

    /// Whether the shader mentions a name.
    pub(super) fn mentions(&self, name: &str) -> bool {
        let shader = self.subject.shader;
        let symbol = shader.preprocessed.symbols.find(name);
        symbol.is_some_and(|symbol| shader.preprocessed.tokens.iter().any(|token| token.symbol == symbol))
    }
}
