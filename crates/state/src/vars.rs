//! The values of plain state.

use std::sync::Arc;

use crate::context::Facts;
use crate::variable::{NUMBERS, VARIABLES, Var, offset};

/// All plain state of one context, shared until it changes.
#[derive(Clone, PartialEq, Debug)]
pub struct Vars(Arc<[f64; NUMBERS]>);

impl Vars {
    /// As GL has it in a new context.
    #[must_use]
    pub fn initial(_facts: &Facts) -> Vars {
        let mut numbers = [0.0; NUMBERS];
        for (at, variable) in VARIABLES.iter().enumerate() {
            let first = offset(Var(at as u16));
            let (size, all) = (usize::from(variable.size), usize::from(variable.size) * usize::from(variable.count));
            for (place, number) in numbers[first..first + all].iter_mut().enumerate() {
                *number = *variable.initial.get(place % size).unwrap_or(&variable.initial[0]);
            }
        }
        Vars(Arc::new(numbers))
    }

    /// The first number of a variable.
    #[inline]
    #[must_use]
    pub fn get(&self, var: Var) -> f64 {
        self.0[offset(var)]
    }

    /// A value as an enum or a name.
    #[inline]
    #[must_use]
    pub fn name(&self, var: Var) -> u32 {
        self.get(var) as i64 as u32
    }

    /// The numbers of one value of a variable; those of the first when there is none of that index.
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

    /// Sets numbers of one value of a variable; there is no effect when there is none of that index.
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

    /// What does not change is not copied, so that a program that sets what is set already costs no memory.
    #[inline]
    fn write(&mut self, place: usize, number: f64) {
        if self.0[place].to_bits() != number.to_bits() {
            Arc::make_mut(&mut self.0)[place] = number;
        }
    }
}
