//! Windows in varyings captured by transform feedback, and vertices as points in a grid.

use shader::ast::{ExprId, NodeId};
use shader::edit::Rewrite;
use shader::typed::{Primitive, Target};
use shader::version::Stage;

use super::Frame;
use super::language::lacks;
use super::word::Words;
use crate::variant::Refusal;

/// The new position of a vertex: the centre of its pixel. It is set in `main`, because the shader may redeclare
/// built-in outputs, which must happen before they are used.
const GRID: &str = "\
    `int $row = $number / $grid.x;
    `vec2 $cell = vec2(float($number - $row * $grid.x), float($row)) + 0.5;
    gl_Position = vec4($cell / vec2($grid) * 2.0 - 1.0, 0.0, 1.0);
";

impl Frame<'_> {
    pub(super) fn open_feedback(&mut self) -> Result<(), Refusal> {
        let (stage, version) = (self.language.stage, self.language.version);
        if !matches!(stage, Stage::Vertex | Stage::TessEvaluation | Stage::Geometry) {
            return Err(Refusal::Impossible(format!("outputs of {} shaders cannot be captured", stage.name())));
        }
        if !self.language.integers {
            return Err(lacks(version, "integer varyings"));
        }
        if self.window() + 4 > self.device.feedback_words {
            return Err(Refusal::Impossible(format!("the device does not capture {} words", self.window() + 4)));
        }
        self.open_words();
        let sink = self.window_sink();
        self.open_common(&sink);
        let mut text = "flat out `ivec4 $who;\n".to_owned();
        let mut export = String::new();
        for (first, count) in self.captured() {
            let ty = ["int", "ivec2", "ivec3", "ivec4"][count as usize - 1];
            text.push_str(&format!("flat out `{ty} $captured{first};\n"));
            let words: Vec<String> = (first..first + count).map(|n| self.window_word(n)).collect();
            export.push_str(&format!("    $captured{first} = {ty}({});\n", words.join(", ")));
        }
        self.add(&text);
        if stage == Stage::Geometry {
            export = self.emission(&export)?;
            self.add("void $skip() {}\n");
        }
        let remember = if stage == Stage::Geometry { "$self" } else { "$who" };
        if stage == Stage::Geometry {
            self.add("`ivec4 $self;\n");
        }
        let ends = self.window_ends(&format!("    {remember} = $n;\n"), &export);
        self.add(&ends);
        Ok(())
    }

    /// The names of the captured varyings, in order.
    pub(super) fn captured_names(&self) -> Vec<String> {
        let words = self.captured().map(|(first, _)| self.name(&format!("captured{first}")));
        std::iter::once(self.name("who")).chain(words).collect()
    }

    /// The first word of each varying, and its number of words.
    fn captured(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let window = self.window();
        (0..window).step_by(4).map(move |first| (first, (window - first).min(4)))
    }

    /// A geometry shader emits none of its own vertices, but a single primitive with the answer at its end.
    fn emission(&self, export: &str) -> Result<String, Refusal> {
        let layout = &self.subject.shader.typed.stage;
        let vertices = match layout.output_primitive {
            Some(Primitive::Points) => 1,
            Some(Primitive::LineStrip) => 2,
            _ => 3,
        };
        if layout.max_vertices.is_some_and(|most| most < vertices) {
            let text = "the geometry shader's max_vertices is too small for the primitive that would carry the answer";
            return Err(Refusal::Impossible(text.to_owned()));
        }
        // Outputs are undefined after each vertex (GLSL 4.60, 8.13).
        let vertex = format!("    $who = $self;\n{export}    EmitVertex();\n");
        Ok(format!("{}    EndPrimitive();\n", vertex.repeat(vertices as usize)))
    }

    pub(super) fn prepare_feedback(&self, rewrite: &mut Rewrite<'_>) {
        let shader = self.subject.shader;
        if self.language.stage != Stage::Geometry {
            return;
        }
        for (index, facts) in (0..).zip(&shader.typed.exprs) {
            let Target::Builtin(function) = facts.target else { continue };
            let name = shader.preprocessed.symbols.name(function.name);
            if matches!(name, "EmitVertex" | "EndPrimitive" | "EmitStreamVertex" | "EndStreamPrimitive") {
                rewrite.replace(NodeId::Expr(ExprId(index)), &self.text("$skip()"));
            }
        }
    }

    pub(super) fn open_grid(&mut self) -> Result<(), Refusal> {
        if self.language.stage != Stage::Vertex {
            return Err(Refusal::Impossible("only vertex shaders can answer through a grid of points".to_owned()));
        }
        if !self.language.integers {
            self.words = Words::Bytes;
        }
        self.open_words();
        let sink = self.window_sink();
        self.open_common(&sink);
        let keyword = if self.language.integers { "out" } else { "varying" };
        self.add(&format!("uniform `ivec2 $grid;\n{keyword} {}vec4 $answer;\n`int $number = 0;\n", self.mediump()));
        let export = format!("    $answer = {} / 255.0;\n", self.bytes_of_window());
        let ends = self.window_ends("    $number = $n.x;\n", &export);
        self.add(&ends);
        Ok(())
    }

    /// The last statements of `main`, as a template. In desktop GL the application can set the point size, in ES it
    /// cannot; and a redeclared block may lack it.
    pub(super) fn grid_place(&self) -> String {
        let sized = self.language.version.is_es() && !self.mentions("gl_PerVertex") || self.mentions("gl_PointSize");
        format!("{GRID}{}", if sized { "    gl_PointSize = 1.0;\n" } else { "" })
    }

    /// The fragment shader that exports the points' answers.
    pub(super) fn grid_fragment(&self) -> Vec<String> {
        let shader = self.subject.shader;
        let version = shader.preprocessed.version_span;
        let version = version.map(|span| format!("#{}", shader.sources.slice(span))).unwrap_or_default();
        let (keyword, out, colour) = match self.language.integers {
            true => ("in", format!("out {}vec4 $target0;\n", self.mediump()), "$target0"),
            false => ("varying", String::new(), "gl_FragColor"),
        };
        let answer = format!("{keyword} {}vec4 $answer;\n", self.mediump());
        let text = format!("{version}\n{answer}{out}void main() {{ {colour} = $answer; }}\n");
        vec![self.text(text.trim_start())]
    }

    fn mediump(&self) -> &'static str {
        if self.language.version.is_es() { "mediump " } else { "" }
    }
}
