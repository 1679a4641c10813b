//! Geometric functions (8.5).

use crate::constant::function::alike;
use crate::constant::function::real::Real;
use crate::constant::operand::Operand;
use crate::types::{Scalar, Type};

pub(super) fn call(name: &str, args: &[Operand], result: Type) -> Option<Operand> {
    match result.scalar()? {
        Scalar::Float => of::<f32>(name, args, result),
        Scalar::Double => of::<f64>(name, args, result),
        Scalar::Bool | Scalar::Int | Scalar::Uint | Scalar::Int64 | Scalar::Uint64 => None,
    }
}

/// A vector of up to four components.
#[derive(Clone, Copy)]
struct Vector<T> {
    at: [T; 4],
    len: usize,
}

impl<T: Real> Vector<T> {
    fn read(operand: &Operand, scalar: Scalar) -> Option<Vector<T>> {
        if !matches!(operand.ty, Type::Scalar(_) | Type::Vector(..)) {
            return None;
        }
        let operand = operand.converted(scalar);
        let mut at = [T::narrow(0.0); 4];
        for (to, &word) in at.iter_mut().zip(operand.words()) {
            *to = T::read(word);
        }
        Some(Vector { at, len: operand.len })
    }

    fn map(mut self, function: impl Fn(usize, T) -> T) -> Vector<T> {
        for (i, x) in self.at.iter_mut().enumerate() {
            *x = function(i, *x);
        }
        self
    }

    fn dot(&self, other: &Vector<T>) -> T {
        (1..self.len).fold(self.at[0] * other.at[0], |sum, i| sum + self.at[i] * other.at[i])
    }

    fn length(&self) -> T {
        self.dot(self).via(f64::sqrt)
    }

    fn minus(self, other: &Vector<T>) -> Vector<T> {
        self.map(|i, x| x - other.at[i])
    }

    fn write(&self, result: Type) -> Option<Operand> {
        if result.components() as usize != self.len {
            return None;
        }
        Operand::fill(result, |i| self.at[i].word())
    }
}

fn of<T: Real>(name: &str, args: &[Operand], result: Type) -> Option<Operand> {
    let scalar = result.scalar()?;
    let number = |x: T| Operand::fill(result, |_| x.word());
    let read = |i: usize| Vector::<T>::read(args.get(i)?, scalar);
    let same = |a: &Vector<T>, b: &Vector<T>| (a.len == b.len).then_some(());
    match (name, args.len()) {
        ("length", 1) => number(read(0)?.length()),
        ("distance", 2) => {
            let (a, b) = (read(0)?, read(1)?);
            same(&a, &b)?;
            number(a.minus(&b).length())
        }
        ("dot", 2) => {
            let (a, b) = (read(0)?, read(1)?);
            same(&a, &b)?;
            number(a.dot(&b))
        }
        ("cross", 2) => {
            let (a, b) = (read(0)?, read(1)?);
            if a.len != 3 || b.len != 3 {
                return None;
            }
            let term = |i: usize, j: usize| a.at[i] * b.at[j] - b.at[i] * a.at[j];
            Vector { at: [term(1, 2), term(2, 0), term(0, 1), T::narrow(0.0)], len: 3 }.write(result)
        }
        ("normalize", 1) => {
            let a = read(0)?;
            let length = a.length();
            a.map(|_, x| x / length).write(result)
        }
        ("faceforward", 3) => {
            let (normal, incident, reference) = (read(0)?, read(1)?, read(2)?);
            same(&normal, &incident)?;
            same(&normal, &reference)?;
            let facing = reference.dot(&incident) < T::narrow(0.0);
            normal.map(|_, x| if facing { x } else { -x }).write(result)
        }
        ("reflect", 2) => {
            let (incident, normal) = (read(0)?, read(1)?);
            same(&incident, &normal)?;
            let twice = T::narrow(2.0) * normal.dot(&incident);
            incident.map(|i, x| x - twice * normal.at[i]).write(result)
        }
        ("refract", 3) => {
            let (incident, normal) = (read(0)?, read(1)?);
            same(&incident, &normal)?;
            // The ratio of indices may be written as any scalar; it has the type of the vectors (8.5).
            let [eta, ..] = alike(&args[2..], scalar, Type::Scalar(scalar))?;
            let eta = T::read(eta.get(0));
            let (zero, one) = (T::narrow(0.0), T::narrow(1.0));
            let cosine = normal.dot(&incident);
            let k = one - eta * eta * (one - cosine * cosine);
            if k < zero {
                return incident.map(|_, _| zero).write(result);
            }
            let along = eta * cosine + k.via(f64::sqrt);
            incident.map(|i, x| eta * x - along * normal.at[i]).write(result)
        }
        _ => None,
    }
}
