//! Capabilities of devices.

use driver::{Api, Context, DriverError};
use instrument::Device;
use shader::builtin::ExtensionSet;
use shader::version::{Profile, Version};

/// Limits of storage blocks by stage, in the order of [`shader::version::Stage::ALL`].
const STORAGE_BLOCKS: [u32; 6] = [0x90D6, 0x90D8, 0x90D9, 0x90D7, 0x90DA, 0x90DB];
const MAX_SHADER_STORAGE_BUFFER_BINDINGS: u32 = 0x90DD;
const MAX_DRAW_BUFFERS: u32 = 0x8824;
const MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS: u32 = 0x8C8A;

/// Queries what a context supports.
///
/// # Errors
/// When a query fails.
pub fn capabilities(context: &Context) -> Result<Device, DriverError> {
    let es = context.api() == Api::Es;
    let profile = match context.api() {
        Api::DesktopCompatibility => Profile::Compatibility,
        Api::DesktopCore => Profile::Core,
        Api::Es => Profile::Es,
    };
    let newest = Version { number: context.glsl_version()?, profile };
    let extensions = context.extensions()?;
    let has = |name: &str| extensions.iter().any(|extension| extension == name);
    let limit = |name: u32| Ok(context.limit(name)?.and_then(|value| u32::try_from(value).ok()).unwrap_or(0));
    let (mut storage_blocks, mut storage_bindings) = ([0; 6], 0);
    if newest.at_least(430, 310) || has("GL_ARB_shader_storage_buffer_object") {
        for (blocks, name) in storage_blocks.iter_mut().zip(STORAGE_BLOCKS) {
            *blocks = limit(name)?;
        }
        storage_bindings = limit(MAX_SHADER_STORAGE_BUFFER_BINDINGS)?;
    }
    let modern = newest.at_least(130, 300);
    Ok(Device {
        newest,
        storage_blocks,
        storage_bindings,
        integer_targets: modern,
        // In ES, float targets are colour-renderable since 3.2 or with an extension (ES 3.2, table 8.10).
        float_targets: if es { newest.number >= 320 || has("GL_EXT_color_buffer_float") } else { modern },
        targets: limit(MAX_DRAW_BUFFERS)?.max(1),
        feedback_words: if modern { limit(MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS)? } else { 0 },
        extensions: extensions.iter().collect(),
        style: instrument::CompilerWorkarounds::default(),
    })
}

/// The capabilities of the emulator for programs of the given kind of context: everything is supported.
#[must_use]
pub fn everything(api: Api) -> Device {
    let newest = match api {
        Api::DesktopCompatibility => Version { number: 460, profile: Profile::Compatibility },
        Api::DesktopCore => Version { number: 460, profile: Profile::Core },
        Api::Es => Version { number: 320, profile: Profile::Es },
    };
    let extensions = ExtensionSet::all().names().into_iter().collect();
    Device {
        newest,
        storage_blocks: [16; 6],
        storage_bindings: 96,
        integer_targets: true,
        float_targets: true,
        targets: 8,
        feedback_words: 64,
        extensions,
        style: instrument::CompilerWorkarounds::default(),
    }
}
