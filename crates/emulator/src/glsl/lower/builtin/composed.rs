//! Functions that are expanded to several operations, as the specification writes them.

use lanes::{Op1, Op2, Op3, Test2};
use shader::types::{Scalar, Type};
use shader::version::Stage;

use super::super::matrix::shape;
use super::super::ops::is_signed;
use super::super::{Lower, Lowered, Value};
use super::pick;
use crate::ir::{Axis, Instruction, Register};

impl Lower<'_> {
    /// Emits functions on components that take several operations; returns `None` for others.
    pub(super) fn composed(&mut self, name: &str, values: &[Value], ty: Type) -> Lowered<Option<Value>> {
        let scalar = values.first().and_then(|v| v.ty.scalar()).unwrap_or(Scalar::Float);
        let at = |v: usize, i: usize| pick(&values[v], i);
        let value = match name {
            "radians" | "degrees" => {
                let half_turn = std::f64::consts::PI;
                let factor = if name == "radians" { half_turn / 180.0 } else { 180.0 / half_turn };
                let factor = self.number(factor, scalar)?;
                self.components_by(ty, |l, i| l.on(scalar).mul(at(0, i), factor))?
            }
            "mix" if values[2].ty.scalar() == Some(Scalar::Bool) => {
                self.components_by(ty, |l, i| l.on(scalar).choose(at(2, i), at(1, i), at(0, i)))?
            }
            // Mesa uses this form in half precision, where the results differ.
            "mix" if self.halves => self.components_by(ty, |l, i| {
                let mut on = l.on(scalar);
                let difference = on.sub(at(1, i), at(0, i))?;
                let part = on.mul(at(2, i), difference)?;
                on.add(at(0, i), part)
            })?,
            "mix" => {
                let unit = self.number(1.0, scalar)?;
                self.components_by(ty, |l, i| {
                    let mut on = l.on(scalar);
                    let rest = on.sub(unit, at(2, i))?;
                    let (a, b) = (on.mul(at(0, i), rest)?, on.mul(at(1, i), at(2, i))?);
                    on.add(a, b)
                })?
            }
            "smoothstep" => {
                let [zero, one, two, three] = [0.0, 1.0, 2.0, 3.0].map(|n| self.number(n, scalar));
                let (zero, one, two, three) = (zero?, one?, two?, three?);
                self.components_by(ty, |l, i| {
                    let mut on = l.on(scalar);
                    let (over, width) = (on.sub(at(2, i), at(0, i))?, on.sub(at(1, i), at(0, i))?);
                    let ratio = on.div(over, width)?;
                    let t = on.clamp(ratio, zero, one)?;
                    let (square, double) = (on.mul(t, t)?, on.mul(two, t)?);
                    let slope = on.sub(three, double)?;
                    on.mul(square, slope)
                })?
            }
            "ldexp" => self.components_by(ty, |l, i| l.load_exponent(at(0, i), at(1, i), scalar))?,
            "min3" | "max3" | "mid3" => {
                let (least, most) = extremes(scalar);
                self.components_by(ty, |l, i| {
                    let (a, b, c, mut on) = (at(0, i), at(1, i), at(2, i), l.on(scalar));
                    let op = if name == "max3" { most } else { least };
                    let first = on.two(op, a, b)?;
                    if name != "mid3" {
                        return on.two(op, first, c);
                    }
                    // The middle one is max(min(a, b), min(max(a, b), c)).
                    let second = on.two(most, a, b)?;
                    let second = on.two(least, second, c)?;
                    on.two(most, first, second)
                })?
            }
            // Only the low 16 bits of the second operand are used.
            "multiply32x16" => {
                let (zero, bits) = (self.word(0)?, self.word(16)?);
                let extract = if is_signed(scalar) { Op3::SBitfieldExtract } else { Op3::UBitfieldExtract };
                self.components_by(ty, |l, i| {
                    let half = l.ternary_op(extract, [at(1, i), zero, bits], scalar)?;
                    l.two(Op2::IMul, at(0, i), half)
                })?
            }
            "any" | "all" => {
                let op = if name == "any" { Op2::Or } else { Op2::And };
                let mut result = at(0, 0);
                for &next in &values[0].registers[1..] {
                    result = self.two(op, result, next)?;
                }
                Value { ty, registers: vec![result] }
            }
            "dFdx" | "dFdxFine" | "dFdxCoarse" => self.components_by(ty, |l, i| l.derivative(Axis::X, at(0, i)))?,
            "dFdy" | "dFdyFine" | "dFdyCoarse" => self.components_by(ty, |l, i| l.derivative(Axis::Y, at(0, i)))?,
            "fwidth" | "fwidthFine" | "fwidthCoarse" => self.components_by(ty, |l, i| {
                let (x, y) = (l.derivative(Axis::X, at(0, i))?, l.derivative(Axis::Y, at(0, i))?);
                let mut on = l.on(scalar);
                let (x, y) = (on.one(Op1::FAbs, x)?, on.one(Op1::FAbs, y)?);
                on.add(x, y)
            })?,
            "noise1" | "noise2" | "noise3" | "noise4" => {
                let zero = self.number(0.0, Scalar::Float)?;
                self.components_by(ty, |_, _| Ok(zero))?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// Emits functions on whole vectors and matrices; returns `None` for others.
    pub(super) fn geometric(&mut self, name: &str, values: &[Value], ty: Type) -> Lowered<Option<Value>> {
        let Some(scalar) = values.first().and_then(|v| v.ty.scalar()) else { return Ok(None) };
        let at = |v: usize, i: usize| pick(&values[v], i);
        let whole = |v: usize| &values[v].registers[..];
        let single = |register: Register| Value { ty, registers: vec![register] };
        let value = match name {
            "dot" => single(self.on(scalar).dot(whole(0), whole(1))?),
            "length" => single(self.on(scalar).length(whole(0))?),
            "distance" => {
                let difference = self.components_by(values[0].ty, |l, i| l.on(scalar).sub(at(0, i), at(1, i)))?;
                single(self.on(scalar).length(&difference.registers)?)
            }
            "normalize" => {
                let square = self.on(scalar).dot(whole(0), whole(0))?;
                let scale = self.on(scalar).one(Op1::FInverseSqrt, square)?;
                self.components_by(ty, |l, i| l.on(scalar).mul(at(0, i), scale))?
            }
            "cross" => self.components_by(ty, |l, i| {
                let (j, k, mut on) = ((i + 1) % 3, (i + 2) % 3, l.on(scalar));
                let (a, b) = (on.mul(at(0, j), at(1, k))?, on.mul(at(1, j), at(0, k))?);
                on.sub(a, b)
            })?,
            "reflect" => {
                let two = self.number(2.0, scalar)?;
                let along = self.on(scalar).dot(whole(1), whole(0))?;
                let twice = self.on(scalar).mul(two, along)?;
                self.components_by(ty, |l, i| {
                    let part = l.on(scalar).mul(twice, at(1, i))?;
                    l.on(scalar).sub(at(0, i), part)
                })?
            }
            "refract" => self.refract(values, ty, scalar)?,
            "faceforward" => {
                let zero = self.number(0.0, scalar)?;
                let along = self.on(scalar).dot(whole(2), whole(1))?;
                let towards = self.on(scalar).compare(Test2::FLt, along, zero)?;
                self.components_by(ty, |l, i| {
                    let away = l.on(scalar).one(Op1::FNeg, at(0, i))?;
                    l.on(scalar).choose(towards, at(0, i), away)
                })?
            }
            "outerProduct" => {
                let rows = whole(0).len();
                self.components_by(ty, |l, i| l.on(scalar).mul(whole(0)[i % rows], whole(1)[i / rows]))?
            }
            "transpose" => self.transpose(&values[0], ty),
            "determinant" => single(self.determinant(whole(0), shape(values[0].ty).0, scalar)?),
            "inverse" => self.inverse(&values[0])?,
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// Emits `refract(I, N, eta)`: zero for total reflection.
    fn refract(&mut self, values: &[Value], ty: Type, scalar: Scalar) -> Lowered<Value> {
        let [incident, normal, eta] = values else { return self.refuse("this `refract`", None) };
        let eta = eta.registers[0];
        let (zero, unit) = (self.number(0.0, scalar)?, self.number(1.0, scalar)?);
        let mut on = self.on(scalar);
        let along = on.dot(&normal.registers, &incident.registers)?;
        let square = on.mul(along, along)?;
        let rest = on.sub(unit, square)?;
        let squared = on.mul(eta, eta)?;
        let bent = on.mul(squared, rest)?;
        let k = on.sub(unit, bent)?;
        let total = on.compare(Test2::FLt, k, zero)?;
        let (root, scaled) = (on.one(Op1::FSqrt, k)?, on.mul(eta, along)?);
        let factor = on.add(scaled, root)?;
        self.components_by(ty, |l, i| {
            let mut on = l.on(scalar);
            let (a, b) = (on.mul(eta, incident.registers[i])?, on.mul(factor, normal.registers[i])?);
            let through = on.sub(a, b)?;
            on.choose(total, zero, through)
        })
    }

    /// Emits `ldexp`. With an exponent whose power of two is denormal the result may be flushed to zero (GLSL 4.60, 8.3),
    /// and drivers do so if the result is denormal, too.
    fn load_exponent(&mut self, x: Register, exponent: Register, scalar: Scalar) -> Lowered<Register> {
        let (least, smallest) = match scalar {
            Scalar::Double => (f64::MIN_EXP - 1, f64::MIN_POSITIVE),
            _ => (f32::MIN_EXP - 1, f64::from(f32::MIN_POSITIVE)),
        };
        let bound = self.number(f64::from(least), Scalar::Int)?;
        let low = self.two(Test2::SLt, exponent, bound)?;
        let wide = if scalar == Scalar::Double { Scalar::Int64 } else { Scalar::Int };
        let exponent = self.convert_one(exponent, Scalar::Int, wide)?;
        let (zero, smallest) = (self.number(0.0, scalar)?, self.number(smallest, scalar)?);
        let mut on = self.on(scalar);
        let exact = on.two(Op2::FLdexp, x, exponent)?;
        let magnitude = on.one(Op1::FAbs, exact)?;
        let tiny = on.compare(Test2::FLt, magnitude, smallest)?;
        let signed = on.mul(exact, zero)?;
        let flushed = self.two(Op2::And, low, tiny)?;
        self.on(scalar).choose(flushed, signed, exact)
    }

    /// Returns whether lanes have neighbours: in fragment shaders, and in compute shaders with a derivative group.
    pub(in crate::glsl::lower) fn has_derivatives(&self) -> bool {
        let arranged = self.units.iter().any(|unit| unit.shader.typed.stage.derivative_group.is_some());
        match self.shader.stage {
            Stage::Fragment => true,
            Stage::Compute => arranged || self.shader.typed.stage.derivative_group.is_some(),
            _ => false,
        }
    }

    /// Emits the difference to the neighbour; zero where there is none (GL_NV_compute_shader_derivatives).
    fn derivative(&mut self, axis: Axis, from: Register) -> Lowered<Register> {
        if !self.has_derivatives() {
            return self.word(0);
        }
        let to = self.one()?;
        self.emit(Instruction::Derivative(axis, to, from));
        Ok(to)
    }
}

/// Returns `min` and `max` of a component type.
fn extremes(scalar: Scalar) -> (Op2, Op2) {
    if scalar.is_floating() {
        (Op2::FMin, Op2::FMax)
    } else if is_signed(scalar) {
        (Op2::SMin, Op2::SMax)
    } else {
        (Op2::UMin, Op2::UMax)
    }
}
