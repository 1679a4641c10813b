//! Query targets.

use api::constant as c;

use crate::context::{Client, Facts};
use crate::fault::Fault;

/// A slot for active queries: only one query per slot can be active.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(u32, u32);

/// Returns the slot of a target. All targets that count samples share one (GL 4.6, 17.3.5, and Mesa).
pub fn slot(target: u32, stream: u32) -> Slot {
    match target {
        c::GL_ANY_SAMPLES_PASSED | c::GL_ANY_SAMPLES_PASSED_CONSERVATIVE => Slot(c::GL_SAMPLES_PASSED, 0),
        _ => Slot(target, stream),
    }
}

/// Returns whether queries with this target can be begun in a context.
pub fn is_target(facts: &Facts, target: u32) -> bool {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let statistics = facts.desktop(4, 6) || desktop && facts.has("GL_ARB_pipeline_statistics_query");
    match target {
        c::GL_SAMPLES_PASSED => desktop,
        c::GL_ANY_SAMPLES_PASSED => {
            facts.desktop(3, 3)
                || facts.es(3, 0)
                || facts.has("GL_ARB_occlusion_query2")
                || facts.has("GL_EXT_occlusion_query_boolean")
        }
        c::GL_ANY_SAMPLES_PASSED_CONSERVATIVE => {
            facts.desktop(4, 3)
                || facts.es(3, 0)
                || facts.has("GL_ARB_ES3_compatibility")
                || facts.has("GL_EXT_occlusion_query_boolean")
        }
        c::GL_TIME_ELAPSED => {
            facts.desktop(3, 3)
                || desktop && (facts.has("GL_EXT_timer_query") || facts.has("GL_ARB_timer_query"))
                || facts.has("GL_EXT_disjoint_timer_query")
        }
        c::GL_PRIMITIVES_GENERATED => {
            facts.desktop(3, 0)
                || desktop && facts.has("GL_EXT_transform_feedback")
                || facts.es(3, 2)
                || facts.has("GL_EXT_geometry_shader")
                || facts.has("GL_OES_geometry_shader")
        }
        c::GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN => {
            facts.desktop(3, 0) || desktop && facts.has("GL_EXT_transform_feedback") || facts.es(3, 0)
        }
        c::GL_TRANSFORM_FEEDBACK_OVERFLOW | c::GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW => {
            facts.desktop(4, 6) || desktop && facts.has("GL_ARB_transform_feedback_overflow_query")
        }
        c::GL_VERTICES_SUBMITTED
        | c::GL_PRIMITIVES_SUBMITTED
        | c::GL_VERTEX_SHADER_INVOCATIONS
        | c::GL_FRAGMENT_SHADER_INVOCATIONS
        | c::GL_CLIPPING_INPUT_PRIMITIVES
        | c::GL_CLIPPING_OUTPUT_PRIMITIVES => statistics,
        c::GL_GEOMETRY_SHADER_INVOCATIONS | c::GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED => {
            statistics && facts.desktop(3, 2)
        }
        c::GL_TESS_CONTROL_SHADER_PATCHES | c::GL_TESS_EVALUATION_SHADER_INVOCATIONS => {
            statistics && (facts.desktop(4, 0) || facts.has("GL_ARB_tessellation_shader"))
        }
        c::GL_COMPUTE_SHADER_INVOCATIONS => statistics && (facts.desktop(4, 3) || facts.has("GL_ARB_compute_shader")),
        _ => false,
    }
}

/// Returns whether `glCreateQueries` supports this target: in Mesa it does not support those that were added later.
pub fn can_be_created(target: u32) -> bool {
    matches!(
        target,
        c::GL_SAMPLES_PASSED
            | c::GL_ANY_SAMPLES_PASSED
            | c::GL_ANY_SAMPLES_PASSED_CONSERVATIVE
            | c::GL_TIME_ELAPSED
            | c::GL_TIMESTAMP
            | c::GL_PRIMITIVES_GENERATED
            | c::GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN
            | c::GL_TRANSFORM_FEEDBACK_OVERFLOW
            | c::GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW
    )
}

/// Rejects vertex streams that do not exist, or that the target does not have.
pub fn check_index(facts: &Facts, target: u32, stream: u32) -> Result<(), Fault> {
    let streams = match target {
        c::GL_PRIMITIVES_GENERATED
        | c::GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN
        | c::GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW => facts.limits.integer(c::GL_MAX_VERTEX_STREAMS, 4).max(1) as u32,
        _ => 1,
    };
    if stream < streams { Ok(()) } else { Err(Fault::invalid_value("the vertex stream is too large")) }
}
