//! The identity of an invocation.

use shader::Shader;
use shader::version::Stage;

use super::Frame;
use super::language::offered;
use crate::device::{Device, Transport};
use crate::question::Scope;
use crate::stream::LAYER;

/// How fragments can determine their primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// With a built-in variable.
    Language,
    /// With a variable of an extension.
    Extension(&'static str),
    /// Not at all.
    Nothing,
}

/// How the fragments of a shader can determine their primitive on a device.
#[must_use]
pub fn names_primitive(shader: &Shader, device: &Device) -> Naming {
    let version = shader.preprocessed.version;
    if device.style.unnumbered {
        return Naming::Nothing;
    }
    if version.at_least(150, 320) {
        return Naming::Language;
    }
    let extensions: &[&str] = match version.is_es() {
        true if version.number == 310 => &["GL_EXT_geometry_shader", "GL_OES_geometry_shader"],
        true => &[],
        false => &["GL_EXT_gpu_shader4"],
    };
    extensions.iter().find(|name| offered(shader, device, name)).map_or(Naming::Nothing, |name| Naming::Extension(name))
}

impl Frame<'_> {
    /// An expression of type `ivec4` for [`crate::stream::IDENTITY`]. Unavailable components are 0.
    pub(super) fn identity(&mut self) -> String {
        let version = self.language.version;
        if matches!(self.transport, Transport::Memory(_)) {
            // The caller knows which invocation it reads.
            return "ivec4(0)".to_owned();
        }
        match self.language.stage {
            Stage::Fragment => {
                let primitive = match names_primitive(self.subject.shader, self.device) {
                    Naming::Language => "gl_PrimitiveID",
                    // In colour targets a fragment is identified by its pixel.
                    Naming::Extension(name)
                        if (version.is_es() || self.transport == Transport::Storage) && self.ask_for(name) =>
                    {
                        "gl_PrimitiveID"
                    }
                    _ => "0",
                };
                // Using `gl_SampleID` would enable per-sample shading.
                let sample = if self.mentions("gl_SampleID") { "gl_SampleID" } else { "0" };
                let layer = if self.names_layer() { format!(" + {LAYER} * gl_Layer") } else { String::new() };
                format!("ivec4(ivec2(gl_FragCoord.xy), {primitive}, {sample}{layer})")
            }
            Stage::Vertex => {
                let extended = !version.at_least(140, 300) && !version.is_es() && self.ask_for("GL_EXT_gpu_shader4");
                let named = extended || version.at_least(130, 300);
                let counted = self.device.style.counted || !named;
                let number = if counted { self.number_of_vertex() } else { "gl_VertexID" };
                let instance = if extended || version.at_least(140, 300) { "gl_InstanceID" } else { "0" };
                let part = self.part_of_draw();
                format!("ivec4({number}, {instance}, {part}, 0)")
            }
            Stage::TessControl => "ivec4(gl_PrimitiveID, gl_InvocationID, 0, 0)".to_owned(),
            Stage::TessEvaluation => {
                let [x, y] = ["gl_TessCoord.x", "gl_TessCoord.y"].map(|value| self.int_of_float(value));
                format!("ivec4(gl_PrimitiveID, {x}, {y}, 0)")
            }
            Stage::Geometry => {
                let invocation = if version.at_least(400, 310) { "gl_InvocationID" } else { "0" };
                // Without the extension, languages before 1.50 have no geometry shaders that could be told apart.
                let is_named = version.is_es() || version.number >= 150 || self.ask_for("GL_ARB_geometry_shader4");
                let primitive = if is_named { "gl_PrimitiveIDIn" } else { "0" };
                format!("ivec4({primitive}, {invocation}, 0, 0)")
            }
            Stage::Compute => "ivec4(gl_GlobalInvocationID, 0)".to_owned(),
        }
    }

    /// Whether a fragment can determine its layer. This matters only if every fragment answers.
    fn names_layer(&mut self) -> bool {
        let version = self.language.version;
        let way = self.scope == Scope::At && self.transport == Transport::Storage;
        way && (version.at_least(430, 320)
            || version.at_least(150, 320) && self.ask_for("GL_ARB_fragment_layer_viewport"))
    }

    /// The draw of a multi-draw that a vertex belongs to, if vertices must be distinguished and the language has it.
    fn part_of_draw(&mut self) -> &'static str {
        let version = self.language.version;
        let way = self.scope == Scope::All && !version.is_es();
        match () {
            () if way && version.number >= 460 => "gl_DrawID",
            () if way && version.number >= 140 && self.ask_for("GL_ARB_shader_draw_parameters") => "gl_DrawIDARB",
            () => "0",
        }
    }

    /// The number of a vertex from an attribute.
    fn number_of_vertex(&mut self) -> &'static str {
        if !self.vertex_attribute {
            self.vertex_attribute = true;
            let keyword = if self.language.version.at_least(130, 300) { "in" } else { "attribute" };
            self.add(&format!("{keyword} `float $vertex;\n"));
        }
        "int($vertex)"
    }
}
