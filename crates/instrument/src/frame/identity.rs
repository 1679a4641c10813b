//! Who an invocation is.

use shader::Shader;
use shader::version::Stage;

use super::Frame;
use super::language::offered;
use crate::device::{Device, Transport};
use crate::question::Scope;
use crate::stream::LAYER;

/// How the fragments of a shader can say which primitive they are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// The language has a variable for it.
    Language,
    /// An extension has one.
    Extension(&'static str),
    /// They cannot.
    Nothing,
}

/// How the fragments of a shader can say which primitive they are of on a device.
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
    /// An expression of type `ivec4`, as [`crate::stream::IDENTITY`] has it. What is not there is 0.
    pub(super) fn identity(&mut self) -> String {
        let version = self.language.version;
        if matches!(self.transport, Transport::Memory(_)) {
            // Whoever looks into an invocation knows which it is.
            return "ivec4(0)".to_owned();
        }
        match self.language.stage {
            Stage::Fragment => {
                let primitive = match names_primitive(self.subject.shader, self.device) {
                    Naming::Language => "gl_PrimitiveID",
                    // By targets a fragment is known by its pixel alone.
                    Naming::Extension(name)
                        if (version.is_es() || self.transport == Transport::Storage) && self.ask_for(name) =>
                    {
                        "gl_PrimitiveID"
                    }
                    _ => "0",
                };
                // To name the sample would make every sample a fragment of its own.
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
                format!("ivec4(gl_PrimitiveIDIn, {invocation}, 0, 0)")
            }
            Stage::Compute => "ivec4(gl_GlobalInvocationID, 0)".to_owned(),
        }
    }

    /// Whether a fragment can say which layer it is of. Only where every fragment is asked for does that matter.
    fn names_layer(&mut self) -> bool {
        let version = self.language.version;
        let way = self.scope == Scope::At && self.transport == Transport::Storage;
        way && (version.at_least(430, 320)
            || version.at_least(150, 320) && self.ask_for("GL_ARB_fragment_layer_viewport"))
    }

    /// Which part of a draw a vertex is of, where many vertices have to be told apart and the language can say it.
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
