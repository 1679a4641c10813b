//! Operations across lanes. Lanes that are off do not count.

use lanes::Mask;

use super::super::WaveState;
use super::Code;
use super::step::on;
use crate::ir::{GroupOp, Register};

impl<const W: usize> WaveState<W> {
    pub(super) fn group(
        &mut self,
        code: Code<'_>,
        (op, to): (GroupOp, Register),
        from: Register,
        operand: Register,
        mask: &Mask<W>,
    ) {
        let value = self.registers[from.0 as usize];
        let operand = self.registers[operand.0 as usize];
        let truth = |lane: usize| value[lane] != 0;
        let first = on(mask).next().unwrap_or(0);
        // A lane that does not exist or is off has no value to read; the reading lane gets its own.
        let other = |lane: usize, wanted: u32| {
            let wanted = wanted as usize;
            let there = mask.words().get(wanted).is_some_and(|&word| word != 0);
            value[if there { wanted } else { lane }]
        };
        let ballot = |high: bool| {
            let lanes = on(mask).filter(|&lane| truth(lane));
            let bits = lanes.filter(|&lane| lane < 64).fold(0u64, |bits, lane| bits | 1 << lane);
            if high { (bits >> 32) as u32 } else { bits as u32 }
        };
        let bits = |lane: usize| u64::from(value[lane]) | u64::from(operand[lane]) << 32;
        let combine = |op, a: u32, b: u32| lanes::op2(op, &[a], &[b], code.numerics)[0];
        let result: [u32; W] = match op {
            GroupOp::All => [u32::from(on(mask).all(truth)); W],
            GroupOp::Any => [u32::from(on(mask).any(truth)); W],
            GroupOp::AllEqual => [u32::from(on(mask).all(|lane| value[lane] == value[first])); W],
            GroupOp::Ballot(high) => [ballot(high); W],
            GroupOp::Read => std::array::from_fn(|lane| other(lane, operand[lane])),
            GroupOp::ReadFirst => [value[first]; W],
            GroupOp::Lane => std::array::from_fn(|lane| lane as u32),
            GroupOp::Reduce(op, identity) => [on(mask).fold(identity, |sum, lane| combine(op, sum, value[lane])); W],
            GroupOp::Cluster(op, identity) => std::array::from_fn(|lane| {
                let cluster = |other: usize| other as u32 / operand[lane].max(1);
                let own = on(mask).filter(|&other| cluster(other) == cluster(lane));
                own.fold(identity, |sum, other| combine(op, sum, value[other]))
            }),
            GroupOp::BitsBelow(inclusive) => std::array::from_fn(|lane| {
                let count = lane + usize::from(inclusive);
                let below = if count >= 64 { u64::MAX } else { (1 << count) - 1 };
                (bits(lane) & below).count_ones()
            }),
            GroupOp::LowestBit => std::array::from_fn(|lane| bits(lane).trailing_zeros()),
            GroupOp::HighestBit => std::array::from_fn(|lane| 63u32.wrapping_sub(bits(lane).leading_zeros())),
            GroupOp::Scan { op, identity, inclusive } => {
                let mut sum = identity;
                let mut result = [0; W];
                for lane in on(mask) {
                    let with = combine(op, sum, value[lane]);
                    result[lane] = if inclusive { with } else { sum };
                    sum = with;
                }
                result
            }
            GroupOp::ReadXor => std::array::from_fn(|lane| other(lane, lane as u32 ^ operand[lane])),
        };
        self.assign(to, &result, mask);
    }
}
