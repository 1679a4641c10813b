//! Who an invocation is.

use shader::version::Stage;

use super::Frame;

impl Frame<'_> {
    /// An expression of type `ivec4`, as [`crate::stream::IDENTITY`] has it.
    pub(super) fn identity(&self) -> String {
        match self.language.stage {
            Stage::Fragment => "ivec4(ivec2(gl_FragCoord.xy), gl_PrimitiveID, 0)".to_owned(),
            Stage::Vertex => "ivec4(gl_VertexID, gl_InstanceID, 0, 0)".to_owned(),
            Stage::TessControl => "ivec4(gl_PrimitiveID, gl_InvocationID, 0, 0)".to_owned(),
            Stage::TessEvaluation => "ivec4(gl_PrimitiveID, floatBitsToInt(gl_TessCoord.xy), 0)".to_owned(),
            Stage::Geometry => "ivec4(gl_PrimitiveIDIn, gl_InvocationID, 0, 0)".to_owned(),
            Stage::Compute => "ivec4(gl_GlobalInvocationID, 0)".to_owned(),
        }
    }
}
