//! Implementation limits by the names of GLSL's built-in constants.

use crate::{Context, DriverError};

/// Built-in constants of GLSL and the corresponding GL enumerants. Limits that GL counts in components and GLSL ES in
/// vectors have an enumerant for each.
const NAMES: &[(&str, u32)] = &[
    ("gl_MaxLights", 0x0D31),
    ("gl_MaxClipPlanes", 0x0D32),
    ("gl_MaxClipDistances", 0x0D32),
    ("gl_MaxCullDistances", 0x82F9),
    ("gl_MaxCombinedClipAndCullDistances", 0x82FA),
    ("gl_MaxTextureUnits", 0x84E2),
    ("gl_MaxTextureCoords", 0x8871),
    ("gl_MaxVertexAttribs", 0x8869),
    ("gl_MaxVertexUniformComponents", 0x8B4A),
    ("gl_MaxVertexUniformVectors", 0x8DFB),
    ("gl_MaxVaryingFloats", 0x8B4B),
    ("gl_MaxVaryingComponents", 0x8B4B),
    ("gl_MaxVaryingVectors", 0x8DFC),
    ("gl_MaxVertexOutputComponents", 0x9122),
    ("gl_MaxVertexTextureImageUnits", 0x8B4C),
    ("gl_MaxCombinedTextureImageUnits", 0x8B4D),
    ("gl_MaxTextureImageUnits", 0x8872),
    ("gl_MaxFragmentUniformComponents", 0x8B49),
    ("gl_MaxFragmentUniformVectors", 0x8DFD),
    ("gl_MaxFragmentInputComponents", 0x9125),
    ("gl_MaxDrawBuffers", 0x8824),
    ("gl_MaxDualSourceDrawBuffersEXT", 0x88FC),
    ("gl_MinProgramTexelOffset", 0x8904),
    ("gl_MaxProgramTexelOffset", 0x8905),
    ("gl_MaxSamples", 0x8D57),
    ("gl_MaxImageUnits", 0x8F38),
    ("gl_MaxImageSamples", 0x906D),
    ("gl_MaxVertexImageUniforms", 0x90CA),
    ("gl_MaxTessControlImageUniforms", 0x90CB),
    ("gl_MaxTessEvaluationImageUniforms", 0x90CC),
    ("gl_MaxGeometryImageUniforms", 0x90CD),
    ("gl_MaxFragmentImageUniforms", 0x90CE),
    ("gl_MaxCombinedImageUniforms", 0x90CF),
    ("gl_MaxGeometryInputComponents", 0x9123),
    ("gl_MaxGeometryOutputComponents", 0x9124),
    ("gl_MaxGeometryTextureImageUnits", 0x8C29),
    ("gl_MaxGeometryOutputVertices", 0x8DE0),
    ("gl_MaxGeometryTotalOutputComponents", 0x8DE1),
    ("gl_MaxGeometryUniformComponents", 0x8DDF),
    ("gl_MaxTessControlInputComponents", 0x886C),
    ("gl_MaxTessControlOutputComponents", 0x8E83),
    ("gl_MaxTessControlTextureImageUnits", 0x8E81),
    ("gl_MaxTessControlUniformComponents", 0x8E7F),
    ("gl_MaxTessControlTotalOutputComponents", 0x8E85),
    ("gl_MaxTessEvaluationInputComponents", 0x886D),
    ("gl_MaxTessEvaluationOutputComponents", 0x8E86),
    ("gl_MaxTessEvaluationTextureImageUnits", 0x8E82),
    ("gl_MaxTessEvaluationUniformComponents", 0x8E80),
    ("gl_MaxTessPatchComponents", 0x8E84),
    ("gl_MaxPatchVertices", 0x8E7D),
    ("gl_MaxTessGenLevel", 0x8E7E),
    ("gl_MaxViewports", 0x825B),
    ("gl_MaxVertexAtomicCounters", 0x92D2),
    ("gl_MaxTessControlAtomicCounters", 0x92D3),
    ("gl_MaxTessEvaluationAtomicCounters", 0x92D4),
    ("gl_MaxGeometryAtomicCounters", 0x92D5),
    ("gl_MaxFragmentAtomicCounters", 0x92D6),
    ("gl_MaxCombinedAtomicCounters", 0x92D7),
    ("gl_MaxAtomicCounterBindings", 0x92DC),
    ("gl_MaxAtomicCounterBufferSize", 0x92D8),
    ("gl_MaxComputeUniformComponents", 0x8263),
    ("gl_MaxComputeTextureImageUnits", 0x91BC),
    ("gl_MaxComputeImageUniforms", 0x91BD),
    ("gl_MaxComputeAtomicCounters", 0x8265),
    ("gl_MaxComputeAtomicCounterBuffers", 0x8264),
    ("gl_MaxTransformFeedbackBuffers", 0x8E70),
    ("gl_MaxTransformFeedbackInterleavedComponents", 0x8C8A),
];

impl Context {
    /// Returns the limits of this context, by the name of GLSL's built-in constant.
    ///
    /// # Errors
    /// When the context cannot be made current.
    pub fn limits(&self) -> Result<Vec<(&'static str, i32)>, DriverError> {
        let mut limits = Vec::new();
        for (name, enumerant) in NAMES {
            limits.extend(self.limit(*enumerant)?.map(|value| (*name, value)));
        }
        Ok(limits)
    }
}
