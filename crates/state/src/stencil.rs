//! The variables of the two faces of the stencil test.

use crate::variable as var;
use crate::variable::Var;

/// Front face variables of the stencil test, in the order of the back face values of EXT_stencil_two_side.
pub const FRONT: [Var; 7] = [
    var::STENCIL_FUNC,
    var::STENCIL_REF,
    var::STENCIL_VALUE_MASK,
    var::STENCIL_FAIL,
    var::STENCIL_PASS_DEPTH_FAIL,
    var::STENCIL_PASS_DEPTH_PASS,
    var::STENCIL_WRITEMASK,
];

/// Back face variables.
pub const BACK: [Var; 7] = [
    var::STENCIL_BACK_FUNC,
    var::STENCIL_BACK_REF,
    var::STENCIL_BACK_VALUE_MASK,
    var::STENCIL_BACK_FAIL,
    var::STENCIL_BACK_PASS_DEPTH_FAIL,
    var::STENCIL_BACK_PASS_DEPTH_PASS,
    var::STENCIL_BACK_WRITEMASK,
];
