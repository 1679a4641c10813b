//! The variables of the two faces of the stencil test.

use crate::variable as var;
use crate::variable::Var;

/// What stencil commands set for the front, each with its place among what EXT_stencil_two_side keeps for the back.
pub const FRONT: [Var; 7] = [
    var::STENCIL_FUNC,
    var::STENCIL_REF,
    var::STENCIL_VALUE_MASK,
    var::STENCIL_FAIL,
    var::STENCIL_PASS_DEPTH_FAIL,
    var::STENCIL_PASS_DEPTH_PASS,
    var::STENCIL_WRITEMASK,
];

/// The same for the back.
pub const BACK: [Var; 7] = [
    var::STENCIL_BACK_FUNC,
    var::STENCIL_BACK_REF,
    var::STENCIL_BACK_VALUE_MASK,
    var::STENCIL_BACK_FAIL,
    var::STENCIL_BACK_PASS_DEPTH_FAIL,
    var::STENCIL_BACK_PASS_DEPTH_PASS,
    var::STENCIL_BACK_WRITEMASK,
];
