//! Compares the model of GL with the machine's own driver: both get the same calls and the same queries.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failing test panics")]

#[path = "model/arguments.rs"]
mod arguments;
#[path = "model/compare.rs"]
mod compare;

use api::{Scalar, id};
use compare::Comparison;
use testing::random::Random;
use testing::twin::ContextKind;

/// Makes random calls of these commands in a context of this kind.
#[track_caller]
fn check(kind: ContextKind, lists: &[&[&str]], seed: u64, rounds: usize) {
    let mut both = Comparison::new(kind);
    both.compare("at the beginning");
    let mut random = Random::new(seed);
    let rounds = std::env::var("AFTERIMAGE_MODEL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(rounds);
    for round in 0..rounds {
        let made = both.random_call(&mut random, lists);
        if round % 32 == 31 {
            both.compare(&made);
        }
    }
    both.compare("at the end");
    let differences = both.twin.differences();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

const EVERYWHERE: &[&str] = &[
    "glActiveTexture",
    "glBlendFunc",
    "glClearColor",
    "glClearStencil",
    "glColorMask",
    "glCullFace",
    "glDepthFunc",
    "glDepthMask",
    "glDisable",
    "glEnable",
    "glEnable",
    "glFrontFace",
    "glHint",
    "glLineWidth",
    "glPixelStorei",
    "glPolygonOffset",
    "glSampleCoverage",
    "glScissor",
    "glStencilFunc",
    "glStencilMask",
    "glStencilOp",
    "glViewport",
    "glPushDebugGroup",
    "glPopDebugGroup",
];

const SHADERS: &[&str] = &[
    "glBlendColor",
    "glBlendEquation",
    "glBlendEquationSeparate",
    "glBlendFuncSeparate",
    "glClearDepthf",
    "glDepthRangef",
    "glStencilFuncSeparate",
    "glStencilMaskSeparate",
    "glStencilOpSeparate",
    "glSampleMaski",
    "glMinSampleShading",
    "glPatchParameteri",
    "glBlendEquationSeparatei",
    "glBlendEquationi",
    "glBlendFuncSeparatei",
    "glBlendFunci",
    "glColorMaski",
    "glEnablei",
    "glDisablei",
    "glPrimitiveBoundingBox",
];

const DESKTOP: &[&str] = &[
    "glClampColor",
    "glClearDepth",
    "glClipControl",
    "glDepthRange",
    "glDepthRangeArrayv",
    "glDepthRangeIndexed",
    "glLogicOp",
    "glPatchParameterfv",
    "glPixelStoref",
    "glPointParameterf",
    "glPointParameterfv",
    "glPointParameteri",
    "glPointParameteriv",
    "glPointSize",
    "glPolygonMode",
    "glPolygonOffsetClamp",
    "glPrimitiveRestartIndex",
    "glProvokingVertex",
    "glScissorArrayv",
    "glScissorIndexed",
    "glScissorIndexedv",
    "glViewportArrayv",
    "glViewportIndexedf",
    "glViewportIndexedfv",
];

const COMPATIBILITY: &[&str] = &[
    "glActiveStencilFaceEXT",
    "glAlphaFunc",
    "glClearAccum",
    "glClearIndex",
    "glClientActiveTexture",
    "glIndexMask",
    "glLineStipple",
    "glPixelMapfv",
    "glPixelMapuiv",
    "glPixelMapusv",
    "glPixelTransferf",
    "glPixelTransferi",
    "glPixelZoom",
    "glShadeModel",
    "glStencilFuncSeparateATI",
];

const FIXED: &[&str] = &[
    "glMatrixMode",
    "glMatrixMode",
    "glPushMatrix",
    "glPopMatrix",
    "glLoadIdentity",
    "glLoadMatrixf",
    "glMultMatrixf",
    "glRotatef",
    "glTranslatef",
    "glScalef",
    "glLightf",
    "glLightfv",
    "glLightModelf",
    "glLightModelfv",
    "glMaterialfv",
    "glFogf",
    "glFogfv",
    "glTexEnvf",
    "glTexEnvfv",
    "glTexEnvi",
    "glTexEnviv",
    "glColor4f",
    "glColor4ub",
    "glNormal3f",
    "glMultiTexCoord4f",
];

const LEGACY: &[&str] = &[
    "glLoadMatrixd",
    "glMultMatrixd",
    "glLoadTransposeMatrixf",
    "glMultTransposeMatrixd",
    "glRotated",
    "glTranslated",
    "glScaled",
    "glOrtho",
    "glFrustum",
    "glMatrixLoadfEXT",
    "glMatrixPushEXT",
    "glMatrixPopEXT",
    "glMatrixRotatefEXT",
    "glLighti",
    "glLightiv",
    "glLightModeli",
    "glLightModeliv",
    "glMaterialiv",
    "glColorMaterial",
    "glClipPlane",
    "glFogi",
    "glFogiv",
    "glTexGenf",
    "glTexGenfv",
    "glTexGendv",
    "glTexGeniv",
    "glTexGeni",
    "glTexGend",
    "glMultiTexEnvfEXT",
    "glMultiTexGenfvEXT",
    "glColor3b",
    "glColor3d",
    "glColor3iv",
    "glColor3us",
    "glColor4s",
    "glColor4uiv",
    "glSecondaryColor3f",
    "glSecondaryColor3b",
    "glNormal3b",
    "glNormal3d",
    "glNormal3s",
    "glNormal3iv",
    "glTexCoord1f",
    "glTexCoord2d",
    "glTexCoord3i",
    "glTexCoord4sv",
    "glMultiTexCoord2f",
    "glFogCoordf",
    "glFogCoordd",
    "glIndexi",
    "glIndexub",
    "glIndexd",
    "glEdgeFlag",
    "glInitNames",
    "glLoadName",
    "glPushName",
    "glPopName",
    "glMapGrid1f",
    "glMapGrid2d",
];

const RASTER: &[&str] = &["glWindowPos2f", "glWindowPos3d", "glWindowPos2i", "glWindowPos3sv"];

const PACKED: &[&str] =
    &["glColorP3ui", "glColorP4ui", "glNormalP3ui", "glTexCoordP2ui", "glMultiTexCoordP3ui", "glSecondaryColorP3ui"];

const STACKS: &[&str] = &["glPushAttrib", "glPopAttrib", "glPushClientAttrib", "glPopClientAttrib"];

const LISTS: &[&str] = &[
    "glNewList",
    "glEndList",
    "glEndList",
    "glCallList",
    "glCallList",
    "glListBase",
    "glCallLists",
    "glDeleteLists",
    "glGenLists",
];

const IMMEDIATE: &[&str] = &["glBegin", "glEnd", "glEnd", "glVertex3f", "glVertex2f", "glColor4f", "glNormal3f"];

const GENERIC: &[&str] = &[
    "glVertexAttrib1f",
    "glVertexAttrib2fv",
    "glVertexAttrib3f",
    "glVertexAttrib4f",
    "glVertexAttrib4fv",
    "glVertexAttribI4i",
    "glVertexAttribI4ui",
    "glVertexAttribI4iv",
];

const GENERIC_DESKTOP: &[&str] = &[
    "glVertexAttrib1d",
    "glVertexAttrib2s",
    "glVertexAttrib3dv",
    "glVertexAttrib4Nub",
    "glVertexAttrib4Nbv",
    "glVertexAttrib4Nsv",
    "glVertexAttrib4Niv",
    "glVertexAttrib4Nuiv",
    "glVertexAttrib4Nusv",
    "glVertexAttrib4bv",
    "glVertexAttrib4uiv",
    "glVertexAttribI1i",
    "glVertexAttribI3ui",
    "glVertexAttribI4bv",
    "glVertexAttribI4usv",
    "glVertexAttribL1d",
    "glVertexAttribL4dv",
    "glVertexAttribP4ui",
    "glVertexAttribP3ui",
    "glVertexAttribP2uiv",
];

const ES1: &[&str] = &[
    "glAlphaFunc",
    "glAlphaFuncx",
    "glClearColorx",
    "glClearDepthf",
    "glClearDepthx",
    "glClientActiveTexture",
    "glClipPlanef",
    "glClipPlanex",
    "glFogx",
    "glFogxv",
    "glFrustumf",
    "glLightx",
    "glLightxv",
    "glLightModelx",
    "glLoadMatrixx",
    "glMaterialxv",
    "glMultMatrixx",
    "glOrthof",
    "glOrthox",
    "glRotatex",
    "glScalex",
    "glTexEnvx",
    "glTexEnvxv",
    "glTranslatex",
    "glColor4x",
    "glNormal3x",
    "glMultiTexCoord4x",
    "glDepthRangef",
    "glDepthRangex",
    "glLineWidthx",
    "glLogicOp",
    "glPointParameterf",
    "glPointParameterfv",
    "glPointParameterx",
    "glPointParameterxv",
    "glPointSize",
    "glPointSizex",
    "glPolygonOffsetx",
    "glSampleCoveragex",
    "glShadeModel",
];

#[test]
fn plain_state_of_a_compatibility_context_matches_the_driver() {
    check(ContextKind::Compatibility, &[EVERYWHERE, SHADERS, DESKTOP, COMPATIBILITY], 1, 1000);
}

#[test]
fn fixed_function_state_of_a_compatibility_context_matches_the_driver() {
    check(
        ContextKind::Compatibility,
        &[EVERYWHERE, FIXED, LEGACY, LEGACY, RASTER, PACKED, GENERIC, GENERIC_DESKTOP],
        5,
        1000,
    );
}

#[test]
fn a_stipple_pattern_matches_the_driver() {
    let mut both = Comparison::new(ContextKind::Compatibility);
    let pattern: Vec<u8> = (0..128u8).map(|at| at.wrapping_mul(37)).collect();
    both.twin.both(id::glPolygonStipple, &[pattern.as_ptr() as u64], vec![(0, pattern)], "glPolygonStipple");
    both.ask(id::glGetPolygonStipple, &[], Scalar::U8, "glPolygonStipple");
    assert_eq!(both.twin.differences(), Vec::<String>::new());
}

#[test]
fn display_lists_match_the_driver() {
    check(ContextKind::Compatibility, &[EVERYWHERE, FIXED, LEGACY, LISTS], 7, 1000);
}

#[test]
fn between_begin_and_end_only_vertex_commands_are_allowed() {
    check(ContextKind::Compatibility, &[EVERYWHERE, FIXED, LEGACY, IMMEDIATE, IMMEDIATE], 8, 1000);
}

#[test]
fn attribute_stacks_of_a_compatibility_context_match_the_driver() {
    let all = &[EVERYWHERE, SHADERS, DESKTOP, COMPATIBILITY, FIXED, LEGACY, STACKS, STACKS];
    check(ContextKind::Compatibility, all, 6, 1000);
}

#[test]
fn plain_state_of_a_core_context_matches_the_driver() {
    check(ContextKind::Core, &[EVERYWHERE, SHADERS, DESKTOP, GENERIC, GENERIC_DESKTOP], 2, 1000);
}

#[test]
fn plain_state_of_an_es_3_context_matches_the_driver() {
    check(ContextKind::Es3, &[EVERYWHERE, SHADERS, GENERIC], 3, 1000);
}

#[test]
fn plain_state_of_an_es_1_context_matches_the_driver() {
    check(ContextKind::Es1, &[EVERYWHERE, ES1, FIXED], 4, 1000);
}
