//! What a context is from its creation on, and values that a driver computes in its own way.

use api::{constant as c, id};
use state::{Answer, NumberType, Values};
use testing::model::Calls;

/// Returns a model in which a context is current that was asked for with these flags of GLX or EGL.
fn context_with(flags: u32) -> Calls {
    let mut calls = Calls::default();
    let (api, profile) = (u64::from(c::EGL_OPENGL_API), u64::from(c::GL_CONTEXT_CORE_PROFILE_BIT));
    calls.call(id::afiContext, &[1, 0, 0x1000, api, 4, 5, profile, flags.into()]);
    calls.call(id::afiCurrent, &[1, 0, 0]);
    calls
}

fn number(calls: &Calls, name: u32) -> Option<i64> {
    let answer = calls.model.view(0).unwrap().answer(id::glGetIntegerv, &[name.into(), 0]);
    answer.and_then(|answer| answer.ok()).and_then(|answer| answer.values.first_integer())
}

#[test]
fn flags_of_glx_and_egl_are_not_those_of_gl() {
    let wide = u64::from(2f32.to_bits());
    let mut debug = context_with(c::GLX_CONTEXT_DEBUG_BIT_ARB);
    assert_eq!(number(&debug, c::GL_DEBUG_OUTPUT), Some(1));
    debug.call(id::glLineWidth, &[wide]);
    assert_eq!(debug.error(), c::GL_NO_ERROR);

    let mut forward = context_with(c::GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB);
    assert_eq!(number(&forward, c::GL_DEBUG_OUTPUT), Some(0));
    // Wide lines were deprecated, and a forward compatible context has nothing that is.
    forward.call(id::glLineWidth, &[wide]);
    assert_eq!(forward.error(), c::GL_INVALID_VALUE);
}

#[test]
fn the_time_of_the_gpu_can_be_queried_and_is_not_known() {
    let mut calls = context_with(0);
    let answer = calls.model.view(0).unwrap().answer(id::glGetInteger64v, &[c::GL_TIMESTAMP.into(), 0]);
    assert!(matches!(answer, Some(Ok(Answer { values: Values::Unknown(_), .. }))), "{answer:?}");
    calls.call(id::glGetInteger64v, &[c::GL_TIMESTAMP.into(), 0]);
    assert_eq!(calls.error(), c::GL_NO_ERROR);
}

#[test]
fn planes_may_differ_as_inverse_matrices_do() {
    let agrees = |kind, driver: [f64; 4]| {
        let plane = Answer { kind, values: Values::Numbers(vec![0.5, 0.25, 0.0, -20.0]) };
        let bytes: Vec<u8> = driver.iter().flat_map(|number| number.to_le_bytes()).collect();
        plane.agrees(id::glGetClipPlane, 0, &[(1, &bytes)], &mut |_, name| name)
    };
    let near = [0.500_000_1, 0.25, 4e-8, -20.000_002];
    assert!(agrees(NumberType::Transformed, near));
    assert!(!agrees(NumberType::Float, near));
    assert!(!agrees(NumberType::Transformed, [0.51, 0.25, 0.0, -20.0]));
    assert!(!agrees(NumberType::Transformed, [f64::NAN, 0.25, 0.0, -20.0]));
}
