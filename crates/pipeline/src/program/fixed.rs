//! Fixed functions as shaders see them: built-in uniforms, and stages that a compatibility program may omit.

use std::sync::Arc;

use emulator::ir::Registers;
use shader::Shader;
use shader::version::{Options, Stage};

use super::Program;
use crate::state::FixedFunction;

/// Transforms the position, and passes on everything that the fragment shader may read. Lighting and texture coordinate
/// generation are off.
const VERTEX: &str = "#version 110
void main() {
    gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;
    gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex;
    gl_FrontColor = gl_Color;
    gl_BackColor = gl_Color;
    gl_FrontSecondaryColor = gl_SecondaryColor;
    gl_BackSecondaryColor = gl_SecondaryColor;
    gl_FogFragCoord = gl_FogCoord;
    gl_TexCoord[0] = gl_TextureMatrix[0] * gl_MultiTexCoord0;
    gl_TexCoord[1] = gl_TextureMatrix[1] * gl_MultiTexCoord1;
    gl_TexCoord[2] = gl_TextureMatrix[2] * gl_MultiTexCoord2;
    gl_TexCoord[3] = gl_TextureMatrix[3] * gl_MultiTexCoord3;
    gl_TexCoord[4] = gl_TextureMatrix[4] * gl_MultiTexCoord4;
    gl_TexCoord[5] = gl_TextureMatrix[5] * gl_MultiTexCoord5;
    gl_TexCoord[6] = gl_TextureMatrix[6] * gl_MultiTexCoord6;
    gl_TexCoord[7] = gl_TextureMatrix[7] * gl_MultiTexCoord7;
}
";

/// Outputs the colour; texturing and fog are off.
const FRAGMENT: &str = "#version 110
void main() { gl_FragColor = gl_Color; }
";

/// The built-in uniforms of a stage.
#[derive(Clone, Debug)]
pub struct BuiltinUniforms(Arc<Vec<(String, Registers)>>);

impl BuiltinUniforms {
    /// The registers of those that tell about fixed functions, with the words that they have there.
    #[must_use]
    pub fn words(&self, fixed: &FixedFunction) -> Vec<(Registers, Vec<u32>)> {
        let words = |name: &str| fixed.uniform(name).into_iter().map(f32::to_bits).collect::<Vec<u32>>();
        self.0.iter().map(|(name, home)| (*home, words(name))).filter(|(_, words)| !words.is_empty()).collect()
    }
}

impl Program {
    /// The built-in uniforms that a stage reads.
    #[must_use]
    pub fn builtin_uniforms(&self, stage: Stage) -> BuiltinUniforms {
        BuiltinUniforms(self.stage(stage).map_or_else(Arc::default, |stage| Arc::clone(&stage.builtin_uniforms)))
    }
}

/// Adds the stage that a program for drawing lacks; returns false if it lacks none, or fixed functions cannot be used.
/// What such a program draws is undefined.
pub(super) fn complete(shaders: &mut Vec<Arc<Shader>>, separable: bool) -> bool {
    let has = |stage| shaders.iter().any(|s| s.stage == stage);
    let es = shaders.iter().any(|s| s.preprocessed.version.is_es());
    let colored = shaders.iter().any(|s| {
        let names = s.typed.variables.iter().filter(|v| v.written).map(|v| s.preprocessed.symbols.name(v.name));
        names.into_iter().any(|name| matches!(name, "gl_FrontColor" | "gl_BackColor"))
    });
    let (stage, text) = match (has(Stage::Vertex), has(Stage::Fragment)) {
        _ if es || separable || has(Stage::Compute) => return false,
        (false, _) => (Stage::Vertex, VERTEX),
        (true, false) if colored => (Stage::Fragment, FRAGMENT),
        (true, _) => return false,
    };
    shaders.push(Arc::new(shader::analyze(&[text], &Options::new(stage))));
    true
}
