//! Blending and logical operations.

pub(crate) mod llvmpipe;

/// A factor of the blend equation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlendFactor {
    /// 0.
    Zero,
    /// 1.
    One,
    /// Source colour.
    SrcColor,
    /// 1 - source colour.
    OneMinusSrcColor,
    /// Destination colour.
    DstColor,
    /// 1 - destination colour.
    OneMinusDstColor,
    /// Source alpha.
    SrcAlpha,
    /// 1 - source alpha.
    OneMinusSrcAlpha,
    /// Destination alpha.
    DstAlpha,
    /// 1 - destination alpha.
    OneMinusDstAlpha,
    /// Constant colour.
    ConstantColor,
    /// 1 - constant colour.
    OneMinusConstantColor,
    /// Constant alpha.
    ConstantAlpha,
    /// 1 - constant alpha.
    OneMinusConstantAlpha,
    /// min(source alpha, 1 - destination alpha); 1 for alpha.
    SrcAlphaSaturate,
    /// Second source colour.
    Src1Color,
    /// 1 - second source colour.
    OneMinusSrc1Color,
    /// Second source alpha.
    Src1Alpha,
    /// 1 - second source alpha.
    OneMinusSrc1Alpha,
}

/// How weighted source and destination are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlendEquation {
    /// Source + destination.
    Add,
    /// Source - destination.
    Subtract,
    /// Destination - source.
    ReverseSubtract,
    /// The lesser, unweighted.
    Min,
    /// The greater, unweighted.
    Max,
}

/// Blending of colour or alpha.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlendChannel {
    /// How both are combined.
    pub equation: BlendEquation,
    /// Weight of the source.
    pub source: BlendFactor,
    /// Weight of the destination.
    pub destination: BlendFactor,
}

/// Blending of one target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blend {
    /// Red, green and blue.
    pub color: BlendChannel,
    /// Alpha.
    pub alpha: BlendChannel,
}

impl Blend {
    /// Adds with the same factors for colour and alpha, as set by `glBlendFunc`.
    #[must_use]
    pub fn add(source: BlendFactor, destination: BlendFactor) -> Blend {
        let both = BlendChannel { equation: BlendEquation::Add, source, destination };
        Blend { color: both, alpha: both }
    }
}

/// A logical operation on the bits of source and destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogicOp {
    /// 0.
    Clear,
    /// s & d.
    And,
    /// s & !d.
    AndReverse,
    /// s.
    Copy,
    /// !s & d.
    AndInverted,
    /// d.
    Noop,
    /// s ^ d.
    Xor,
    /// s | d.
    Or,
    /// !(s | d).
    Nor,
    /// !(s ^ d).
    Equiv,
    /// !d.
    Invert,
    /// s | !d.
    OrReverse,
    /// !s.
    CopyInverted,
    /// !s | d.
    OrInverted,
    /// !(s & d).
    Nand,
    /// All ones.
    Set,
}

impl LogicOp {
    /// Applies the operation to a word.
    #[must_use]
    pub fn apply(self, s: u32, d: u32) -> u32 {
        match self {
            LogicOp::Clear => 0,
            LogicOp::And => s & d,
            LogicOp::AndReverse => s & !d,
            LogicOp::Copy => s,
            LogicOp::AndInverted => !s & d,
            LogicOp::Noop => d,
            LogicOp::Xor => s ^ d,
            LogicOp::Or => s | d,
            LogicOp::Nor => !(s | d),
            LogicOp::Equiv => !(s ^ d),
            LogicOp::Invert => !d,
            LogicOp::OrReverse => s | !d,
            LogicOp::CopyInverted => !s,
            LogicOp::OrInverted => !s | d,
            LogicOp::Nand => !(s & d),
            LogicOp::Set => !0,
        }
    }
}

/// The inputs of blending.
pub(crate) struct Operands {
    pub source: [f32; 4],
    pub second: [f32; 4],
    pub destination: [f32; 4],
    pub constant: [f32; 4],
}

/// The blended colour, before rounding.
pub(crate) fn blend(blend: Blend, operands: &Operands) -> [f32; 4] {
    std::array::from_fn(|i| {
        let channel = if i == 3 { blend.alpha } else { blend.color };
        let (s, d) = (operands.source[i], operands.destination[i]);
        let weighted = |value: f32, which| value * factor(which, i, operands);
        let (ws, wd) = (weighted(s, channel.source), weighted(d, channel.destination));
        match channel.equation {
            BlendEquation::Add => ws + wd,
            BlendEquation::Subtract => ws - wd,
            BlendEquation::ReverseSubtract => wd - ws,
            BlendEquation::Min => s.min(d),
            BlendEquation::Max => s.max(d),
        }
    })
}

fn factor(which: BlendFactor, i: usize, o: &Operands) -> f32 {
    match which {
        BlendFactor::Zero => 0.0,
        BlendFactor::One => 1.0,
        BlendFactor::SrcColor => o.source[i],
        BlendFactor::OneMinusSrcColor => 1.0 - o.source[i],
        BlendFactor::DstColor => o.destination[i],
        BlendFactor::OneMinusDstColor => 1.0 - o.destination[i],
        BlendFactor::SrcAlpha => o.source[3],
        BlendFactor::OneMinusSrcAlpha => 1.0 - o.source[3],
        BlendFactor::DstAlpha => o.destination[3],
        BlendFactor::OneMinusDstAlpha => 1.0 - o.destination[3],
        BlendFactor::ConstantColor => o.constant[i],
        BlendFactor::OneMinusConstantColor => 1.0 - o.constant[i],
        BlendFactor::ConstantAlpha => o.constant[3],
        BlendFactor::OneMinusConstantAlpha => 1.0 - o.constant[3],
        BlendFactor::SrcAlphaSaturate if i == 3 => 1.0,
        BlendFactor::SrcAlphaSaturate => o.source[3].min(1.0 - o.destination[3]),
        BlendFactor::Src1Color => o.second[i],
        BlendFactor::OneMinusSrc1Color => 1.0 - o.second[i],
        BlendFactor::Src1Alpha => o.second[3],
        BlendFactor::OneMinusSrc1Alpha => 1.0 - o.second[3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERANDS: Operands = Operands {
        source: [0.5, 0.25, 1.0, 0.25],
        second: [0.125, 0.5, 0.75, 0.5],
        destination: [1.0, 0.5, 0.0, 0.5],
        constant: [0.25, 0.5, 0.75, 1.0],
    };

    #[track_caller]
    fn check(equation: BlendEquation, source: BlendFactor, destination: BlendFactor, expected: [f32; 4]) {
        let both = BlendChannel { equation, source, destination };
        assert_eq!(blend(Blend { color: both, alpha: both }, &OPERANDS), expected);
    }

    #[test]
    fn equations_and_factors() {
        use BlendEquation::{Add, Max, Min, ReverseSubtract, Subtract};
        use BlendFactor::{
            ConstantColor, DstColor, One, OneMinusSrcAlpha, Src1Color, SrcAlpha, SrcAlphaSaturate, Zero,
        };
        check(Add, SrcAlpha, OneMinusSrcAlpha, [0.875, 0.4375, 0.25, 0.4375]);
        check(Add, DstColor, Zero, [0.5, 0.125, 0.0, 0.125]);
        check(Add, SrcAlphaSaturate, Zero, [0.125, 0.0625, 0.25, 0.25]);
        check(Add, ConstantColor, Zero, [0.125, 0.125, 0.75, 0.25]);
        check(Subtract, One, One, [-0.5, -0.25, 1.0, -0.25]);
        check(ReverseSubtract, One, One, [0.5, 0.25, -1.0, 0.25]);
        check(Min, Zero, Zero, [0.5, 0.25, 0.0, 0.25]);
        check(Max, Zero, Zero, [1.0, 0.5, 1.0, 0.5]);
        check(Add, One, Src1Color, [0.625, 0.5, 1.0, 0.5]);
    }

    #[test]
    fn logic_operations() {
        let all = [LogicOp::And, LogicOp::AndReverse, LogicOp::Xor, LogicOp::Nor, LogicOp::OrInverted, LogicOp::Nand];
        let made: Vec<u32> = all.iter().map(|op| op.apply(0b0011, 0b0101) & 0b1111).collect();
        assert_eq!(made, [0b0001, 0b0010, 0b0110, 0b1000, 0b1101, 0b1110]);
    }
}
