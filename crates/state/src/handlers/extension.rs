//! `glRequestExtensionANGLE` (GL_ANGLE_request_extension): contexts for WebGL begin with few extensions.

use std::sync::Arc;

use api::id;

use super::Table;
use crate::step::{Done, Step};

/// Traces may be hostile: no extension has a longer name, and no driver has as many.
const MAX_NAME: usize = 128;
const MAX_EXTENSIONS: usize = 2_000;

pub fn register(table: &mut Table) {
    table.on(&[id::glRequestExtensionANGLE], request);
}

fn request(step: &mut Step<'_>) -> Done {
    let Some(text) = step.input(0) else { return Ok(()) };
    let name = String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned();
    let plausible = name.len() <= MAX_NAME && step.facts().extensions.len() < MAX_EXTENSIONS;
    if plausible && !step.facts().has(&name) {
        let facts = Arc::make_mut(&mut step.context.facts);
        facts.extensions.insert(name.clone());
        facts.extension_list.push(name);
    }
    Ok(())
}
