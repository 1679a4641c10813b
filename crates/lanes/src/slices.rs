//! Registers whose length is known only at run time.
//!
//! Sixteen lanes are processed at a time; the rest is computed in a block padded with zeros. Lanes beyond the shortest
//! of the slices are not touched.

use crate::lane::{Mask, Word, assign};
use crate::numerics::Numerics;
use crate::op::{Op1, Op2, Op3};
use crate::{op1 as whole1, op2 as whole2, op3 as whole3};

const BLOCK: usize = 16;

/// `register = op(a)` where the mask, a boolean for each lane, is not 0.
pub fn op1<T: Word>(op: Op1, register: &mut [T], a: &[T], mask: &[u32], numerics: &Numerics) {
    let len = register.len().min(a.len());
    blocks(&mut register[..len], mask, |at| whole1(op, &block(a, at), numerics));
}

/// `register = op(a, b)` where the mask, a boolean for each lane, is not 0.
pub fn op2<T: Word>(op: Op2, register: &mut [T], [a, b]: [&[T]; 2], mask: &[u32], numerics: &Numerics) {
    let len = register.len().min(a.len()).min(b.len());
    blocks(&mut register[..len], mask, |at| whole2(op, &block(a, at), &block(b, at), numerics));
}

/// `register = op(a, b, c)` where the mask, a boolean for each lane, is not 0.
pub fn op3<T: Word>(op: Op3, register: &mut [T], [a, b, c]: [&[T]; 3], mask: &[u32], numerics: &Numerics) {
    let len = register.len().min(a.len()).min(b.len()).min(c.len());
    blocks(&mut register[..len], mask, |at| whole3(op, &block(a, at), &block(b, at), &block(c, at), numerics));
}

fn blocks<T: Word>(register: &mut [T], mask: &[u32], compute: impl Fn(usize) -> [T; BLOCK]) {
    for (number, chunk) in register.chunks_mut(BLOCK).enumerate() {
        let at = number * BLOCK;
        let on = Mask::from_bools(&block(mask, at));
        if on.any() {
            let mut whole = block(chunk, 0);
            assign(&mut whole, &compute(at), &on);
            let len = chunk.len();
            chunk.copy_from_slice(&whole[..len]);
        }
    }
}

/// Sixteen lanes of a slice, padded with zeros.
fn block<T: Copy + Default>(slice: &[T], at: usize) -> [T; BLOCK] {
    let rest = slice.get(at..).unwrap_or_default();
    if let Some(whole) = rest.first_chunk() {
        return *whole;
    }
    let mut out = [T::default(); BLOCK];
    out[..rest.len()].copy_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length_agrees_with_single_lanes() {
        for len in [0usize, 1, 15, 16, 17, 40] {
            let a: Vec<u32> = (0..len as u32).map(|i| i * 3).collect();
            let mask: Vec<u32> = (0..len as u32).map(|i| i % 3).collect();
            let mut register = vec![7; len];
            op2(Op2::IMul, &mut register, [&a, &a], &mask, &Numerics::IEEE);
            for (lane, value) in register.iter().enumerate() {
                let expected = if mask[lane] == 0 { 7 } else { a[lane] * a[lane] };
                assert_eq!(*value, expected, "lane {lane} of {len}");
            }
        }
    }

    #[test]
    fn one_and_three_operands() {
        let x = [1.5f64.to_bits(); 18];
        let mut register = [0u64; 18];
        op1(Op1::FFloor, &mut register, &x, &[1; 17], &Numerics::IEEE);
        assert_eq!((register[16], register[17]), (1f64.to_bits(), 0));
        op3(Op3::FFma, &mut register, [&x, &x, &x], &[1; 18], &Numerics::IEEE);
        assert_eq!(register, [3.75f64.to_bits(); 18]);
        op1(Op1::FNeg, &mut register, &[], &[1; 18], &Numerics::IEEE);
        assert_eq!(register, [3.75f64.to_bits(); 18]);
    }
}
