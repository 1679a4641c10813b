//! The model of GL against the machine's own driver: the same calls are made to both, and both are asked everything.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops where it fails")]
#![allow(unsafe_code, reason = "calling a driver is unsafe")]

#[path = "model/random.rs"]
mod random;
#[path = "model/twin.rs"]
mod twin;

use random::Random;
use twin::{Kind, Twin};

/// Random calls of these commands to a context of this kind.
#[track_caller]
fn check(kind: Kind, lists: &[&[&str]], seed: u64, rounds: usize) {
    let Some(mut twin) = Twin::new(kind) else {
        // There is no such driver here; the differences are found where there is one.
        println!("skipped: the driver makes no {kind:?} context");
        return;
    };
    twin.compare("at the beginning");
    let mut random = Random::new(seed);
    let rounds = std::env::var("AFTERIMAGE_MODEL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(rounds);
    for round in 0..rounds {
        let made = twin.random_call(&mut random, lists);
        if round % 16 == 15 {
            twin.compare(&made);
        }
    }
    twin.compare("at the end");
    let differences = twin.differences();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

const EVERYWHERE: &[&str] = &[
    "glActiveTexture", "glBlendFunc", "glClearColor", "glClearStencil", "glColorMask", "glCullFace", "glDepthFunc",
    "glDepthMask", "glDisable", "glEnable", "glEnable", "glFrontFace", "glHint", "glLineWidth", "glPixelStorei",
    "glPolygonOffset", "glSampleCoverage", "glScissor", "glStencilFunc", "glStencilMask", "glStencilOp", "glViewport",
    "glPushDebugGroup", "glPopDebugGroup",
];

const SHADERS: &[&str] = &[
    "glBlendColor", "glBlendEquation", "glBlendEquationSeparate", "glBlendFuncSeparate", "glClearDepthf",
    "glDepthRangef", "glStencilFuncSeparate", "glStencilMaskSeparate", "glStencilOpSeparate", "glSampleMaski",
    "glMinSampleShading", "glPatchParameteri", "glBlendEquationSeparatei", "glBlendEquationi", "glBlendFuncSeparatei",
    "glBlendFunci", "glColorMaski", "glEnablei", "glDisablei", "glPrimitiveBoundingBox",
];

const DESKTOP: &[&str] = &[
    "glClampColor", "glClearDepth", "glClipControl", "glDepthRange", "glDepthRangeArrayv", "glDepthRangeIndexed",
    "glLogicOp", "glPatchParameterfv", "glPixelStoref", "glPointParameterf", "glPointParameterfv",
    "glPointParameteri", "glPointParameteriv", "glPointSize", "glPolygonMode", "glPolygonOffsetClamp",
    "glPrimitiveRestartIndex", "glProvokingVertex", "glScissorArrayv", "glScissorIndexed", "glScissorIndexedv",
    "glViewportArrayv", "glViewportIndexedf", "glViewportIndexedfv",
];

const COMPATIBILITY: &[&str] = &[
    "glActiveStencilFaceEXT", "glAlphaFunc", "glClearAccum", "glClearIndex", "glClientActiveTexture", "glIndexMask",
    "glLineStipple", "glPixelMapfv", "glPixelMapuiv", "glPixelMapusv", "glPixelTransferf", "glPixelTransferi",
    "glPixelZoom", "glShadeModel", "glStencilFuncSeparateATI",
];

const ES1: &[&str] = &[
    "glAlphaFunc", "glAlphaFuncx", "glClearColorx", "glClearDepthf", "glClearDepthx", "glClientActiveTexture",
    "glDepthRangef", "glDepthRangex", "glLineWidthx", "glLogicOp", "glPointParameterf", "glPointParameterfv",
    "glPointParameterx", "glPointParameterxv", "glPointSize", "glPointSizex", "glPolygonOffsetx", "glSampleCoveragex",
    "glShadeModel",
];

#[test]
fn plain_state_of_a_compatibility_context_is_as_the_driver_has_it() {
    check(Kind::Compatibility, &[EVERYWHERE, SHADERS, DESKTOP, COMPATIBILITY], 1, 2000);
}

#[test]
fn plain_state_of_a_core_context_is_as_the_driver_has_it() {
    check(Kind::Core, &[EVERYWHERE, SHADERS, DESKTOP], 2, 2000);
}

#[test]
fn plain_state_of_an_es_2_context_is_as_the_driver_has_it() {
    check(Kind::Es2, &[EVERYWHERE, SHADERS], 3, 2000);
}

#[test]
fn plain_state_of_an_es_1_context_is_as_the_driver_has_it() {
    check(Kind::Es1, &[EVERYWHERE, ES1], 4, 2000);
}
