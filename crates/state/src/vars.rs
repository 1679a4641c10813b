//! The values of plain state.

use std::sync::Arc;

use api::constant as c;

use crate::context::{Client, Facts};
use crate::variable::{self as var, NUMBERS, VARIABLES, Var, offset};

/// All plain state of one context, shared until it changes.
#[derive(Clone, PartialEq, Debug)]
pub struct Vars(Arc<[f64; NUMBERS]>);

impl Vars {
    /// Total number of numbers.
    pub(crate) const NUMBERS: usize = NUMBERS;

    /// Returns whether both share the same memory.
    pub(crate) fn is_shared_with(&self, other: &Vars) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the initial values of a new context.
    #[must_use]
    pub fn initial(facts: &Facts) -> Vars {
        let mut numbers = [0.0; NUMBERS];
        for (at, variable) in VARIABLES.iter().enumerate() {
            let first = offset(Var(at as u16));
            let (size, all) = (usize::from(variable.size), usize::from(variable.size) * usize::from(variable.count));
            for (place, number) in numbers[first..first + all].iter_mut().enumerate() {
                *number = *variable.initial.get(place % size).unwrap_or(&variable.initial[0]);
            }
        }
        let mut vars = Vars(Arc::new(numbers));
        vars.depend_on(facts);
        vars
    }

    /// Sets initial values that depend on the context.
    fn depend_on(&mut self, facts: &Facts) {
        let (_, aliased) = facts.limits.pair(c::GL_ALIASED_POINT_SIZE_RANGE, 1.0);
        let (_, smooth) = facts.limits.pair(c::GL_SMOOTH_POINT_SIZE_RANGE, aliased);
        self.set(var::POINT_SIZE_MAX, aliased.max(smooth));
        // Core and ES do not clamp colours by default (GL 4.6, E.2.2).
        if facts.client == Client::Compatibility {
            self.set(var::CLAMP_VERTEX_COLOR, f64::from(c::GL_TRUE));
            self.set(var::CLAMP_FRAGMENT_COLOR, f64::from(c::GL_FIXED_ONLY));
        }
        if facts.flags & c::GL_CONTEXT_FLAG_DEBUG_BIT != 0 {
            self.set(var::DEBUG_OUTPUT, 1.0);
        }
        // Core and ES 2 always have point sprites (GL 4.6, 14.4), ES always converts to sRGB (ES 3.2, 15.1.6).
        if matches!(facts.client, Client::Core | Client::Es2) {
            self.set(var::POINT_SPRITE, 1.0);
        }
        if facts.client == Client::Es2 {
            self.set(var::FRAMEBUFFER_SRGB, 1.0);
        }
    }

    /// Returns the first number of a variable.
    #[inline]
    #[must_use]
    pub fn get(&self, var: Var) -> f64 {
        self.0[offset(var)]
    }

    /// Returns a value as an enum or a name.
    #[inline]
    #[must_use]
    pub fn name(&self, var: Var) -> u32 {
        self.get(var) as i64 as u32
    }

    /// Returns the numbers of one value of a variable; those of the first when there is none of that index.
    #[inline]
    #[must_use]
    pub fn value(&self, var: Var, index: usize) -> &[f64] {
        let about = var.about();
        let size = usize::from(about.size);
        let index = if index < usize::from(about.count) { index } else { 0 };
        let first = offset(var) + index * size;
        &self.0[first..first + size]
    }

    /// Sets the first number of a variable.
    #[inline]
    pub fn set(&mut self, var: Var, number: f64) {
        self.write(offset(var), number);
    }

    /// Sets one number of a variable's first value.
    #[inline]
    pub fn set_number(&mut self, var: Var, at: usize, number: f64) {
        if at < usize::from(var.about().size) {
            self.write(offset(var) + at, number);
        }
    }

    /// Sets the numbers of one value of a variable; has no effect when there is none of that index.
    #[inline]
    pub fn set_value(&mut self, var: Var, index: usize, numbers: &[f64]) {
        let about = var.about();
        let size = usize::from(about.size);
        if index < usize::from(about.count) {
            for (at, number) in numbers.iter().take(size).enumerate() {
                self.write(offset(var) + index * size + at, *number);
            }
        }
    }

    /// Sets all values of a variable to the same numbers.
    pub fn set_all(&mut self, var: Var, numbers: &[f64]) {
        for index in 0..usize::from(var.about().count) {
            self.set_value(var, index, numbers);
        }
    }

    /// Sets numbers unless they are unchanged, so that setting the same value again costs no memory.
    #[inline]
    fn write(&mut self, place: usize, number: f64) {
        if self.0[place].to_bits() != number.to_bits() {
            Arc::make_mut(&mut self.0)[place] = number;
        }
    }
}
