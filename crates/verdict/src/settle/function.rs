//! Built-in functions on sets of numbers, each by the formula that chapter 8 of GLSL 4.60 gives it.

use lanes::Op1;

use super::range::{Floats, Range};

/// Operands or results: the components of a scalar, vector or matrix.
#[derive(Clone, PartialEq, Debug)]
pub struct Shaped {
    /// Column by column.
    pub parts: Vec<Range>,
    /// 1 for scalars and vectors.
    pub columns: usize,
}

impl Shaped {
    /// A scalar or vector.
    pub fn vector(parts: Vec<Range>) -> Shaped {
        Shaped { parts, columns: 1 }
    }

    fn rows(&self) -> usize {
        self.parts.len() / self.columns.max(1)
    }

    fn column(&self, number: usize) -> &[Range] {
        &self.parts[number * self.rows()..(number + 1) * self.rows()]
    }

    fn row(&self, number: usize) -> Vec<Range> {
        (0..self.columns).map(|column| self.column(column)[number]).collect()
    }

    /// A component, of a scalar for every component of others.
    fn part(&self, number: usize) -> Range {
        if self.parts.len() == 1 { self.parts[0] } else { self.parts.get(number).copied().unwrap_or(Range::ANY) }
    }
}

/// What a function may give; none for functions that no formula is known of here.
pub fn call(floats: Floats, name: &str, arguments: &[Shaped]) -> Option<Shaped> {
    if arguments.is_empty() || arguments.iter().any(|argument| argument.parts.is_empty()) {
        return None;
    }
    geometric(floats, name, arguments).or_else(|| {
        let longest = arguments.iter().max_by_key(|argument| argument.parts.len())?;
        let each = |number: usize| {
            let parts: Vec<Range> = arguments.iter().map(|argument| argument.part(number)).collect();
            component(floats, name, &parts)
        };
        let parts = (0..longest.parts.len()).map(each).collect::<Option<_>>()?;
        Some(Shaped { parts, columns: longest.columns })
    })
}

/// A product, of matrices too.
pub fn product(floats: Floats, a: &Shaped, b: &Shaped, rounded: bool) -> Shaped {
    let scalar = a.parts.len() == 1 || b.parts.len() == 1;
    if scalar || a.columns == 1 && b.columns == 1 {
        let longest = if a.parts.len() > b.parts.len() { a } else { b };
        let each = |number: usize| {
            let exact = floats.product_exactly(a.part(number), b.part(number));
            if rounded { floats.round(exact) } else { exact }
        };
        return Shaped { parts: (0..longest.parts.len()).map(each).collect(), columns: longest.columns };
    }
    // A vector on the left is a row.
    let left: Vec<Vec<Range>> =
        if a.columns == 1 { vec![a.parts.clone()] } else { (0..a.rows()).map(|row| a.row(row)).collect() };
    let right = (0..b.columns).map(|column| b.column(column));
    let parts = right.flat_map(|column| left.iter().map(|row| floats.dot(row, column)).collect::<Vec<_>>()).collect();
    Shaped { parts, columns: if a.columns == 1 { 1 } else { b.columns } }
}

/// Functions of single components.
fn component(floats: Floats, name: &str, x: &[Range]) -> Option<Range> {
    let f = floats;
    let number = |value: f64| f.widen(Range::point(value), 1.0);
    Some(match (name, x) {
        ("radians", &[x]) => f.mul(x, number(std::f64::consts::PI / 180.0)),
        ("degrees", &[x]) => f.mul(x, number(180.0 / std::f64::consts::PI)),
        ("sin", &[x]) => f.wave(Op1::FSin, x, f64::sin),
        ("cos", &[x]) => f.wave(Op1::FCos, x, f64::cos),
        ("tan", &[x]) => f.div(f.wave(Op1::FSin, x, f64::sin), f.wave(Op1::FCos, x, f64::cos)),
        ("asin", &[x]) => f.arc(x, opposite(f, x)),
        ("acos", &[x]) => f.arc(opposite(f, x), x),
        ("atan", &[x]) => f.function(Op1::FAtan, x, f64::atan),
        ("atan", &[y, x]) => f.arc(y, x),
        ("sinh", &[x]) => half(f, f.sub(exponential(f, x), exponential(f, x.negated()))),
        ("cosh", &[x]) => half(f, f.add(exponential(f, x), exponential(f, x.negated()))),
        ("tanh", &[x]) => {
            let (up, down) = (exponential(f, x), exponential(f, x.negated()));
            f.div(f.sub(up, down), f.add(up, down))
        }
        ("asinh", &[x]) => {
            // Of the two signs the formula is exact for one.
            let magnitude = x.abs();
            let root = f.sqrt(f.add(f.mul(magnitude, magnitude), Range::point(1.0)));
            let found = f.logarithm(Op1::FLog, f.add(magnitude, root), f64::ln);
            if x.low >= 0.0 { found } else { found.union(found.negated()) }
        }
        ("acosh", &[x]) => {
            let root = f.sqrt(f.sub(f.mul(x, x), Range::point(1.0)));
            f.logarithm(Op1::FLog, f.add(x, root), f64::ln)
        }
        ("atanh", &[x]) => {
            let quotient = f.div(f.add(Range::point(1.0), x), f.sub(Range::point(1.0), x));
            half(f, f.logarithm(Op1::FLog, quotient, f64::ln))
        }
        ("pow", &[x, y]) => {
            if x == Range::point(0.0) && y.low > 0.0 {
                return Some(x);
            }
            let exponent = f.mul(y, f.logarithm(Op1::FLog2, x, f64::log2));
            f.function(Op1::FExp2, exponent, f64::exp2)
        }
        ("exp", &[x]) => exponential(f, x),
        ("exp2", &[x]) => f.function(Op1::FExp2, x, f64::exp2),
        ("log", &[x]) => f.logarithm(Op1::FLog, x, f64::ln),
        ("log2", &[x]) => f.logarithm(Op1::FLog2, x, f64::log2),
        ("sqrt", &[x]) => f.sqrt(x),
        ("inversesqrt", &[x]) => f.inverse_sqrt(x),
        ("abs", &[x]) => x.abs(),
        ("sign", &[x]) => x.rising(|x| if x == 0.0 { 0.0 } else { x.signum() }),
        ("floor", &[x]) => x.rising(f64::floor),
        ("ceil", &[x]) => x.rising(f64::ceil),
        ("trunc", &[x]) => x.rising(f64::trunc),
        ("roundEven", &[x]) => x.rising(f64::round_ties_even),
        // Halves go either way.
        ("round", &[x]) => x.rising(f64::round).union(x.rising(f64::round_ties_even)),
        ("fract", &[x]) => {
            let floor = x.rising(f64::floor);
            if floor.low == floor.high { f.sub(x, floor) } else { Range { low: 0.0, high: 1.0 } }
        }
        ("mod", &[x, y]) => {
            let quotient = f.div(x, y).rising(f64::floor);
            f.round(f.sum_exactly(x, f.mul(y, quotient).negated()))
        }
        ("min", &[x, y]) => Range { low: x.low.min(y.low), high: x.high.min(y.high) },
        ("max", &[x, y]) => Range { low: x.low.max(y.low), high: x.high.max(y.high) },
        ("clamp", &[x, low, high]) if low.high <= high.low => clamp(x, low, high),
        ("clamp", &[_, _, _]) => Range::ANY,
        ("mix", &[x, y, a]) => {
            let one = Range::point(1.0);
            let sum = f.dot(&[x, y], &[f.sub(one, a), a]);
            sum.union(f.add(x, f.mul(a, f.sub(y, x))))
        }
        ("step", &[edge, x]) => Range { low: f64::from(x.low >= edge.high), high: f64::from(x.high >= edge.low) },
        ("smoothstep", &[low, high, x]) => {
            let place = f.div(f.sub(x, low), f.sub(high, low));
            let place = clamp(place, Range::point(0.0), Range::point(1.0));
            let rest = f.sub(Range::point(3.0), f.mul(Range::point(2.0), place));
            f.mul(f.mul(place, place), rest)
        }
        ("fma", &[a, b, c]) => f.round(f.sum_exactly(f.mul(a, b).union(f.product_exactly(a, b)), c)),
        _ => return None,
    })
}

/// Functions of whole vectors and matrices.
fn geometric(floats: Floats, name: &str, arguments: &[Shaped]) -> Option<Shaped> {
    let f = floats;
    let scalar = |range: Range| Shaped::vector(vec![range]);
    let scaled = |v: &[Range], by: Range| v.iter().map(|part| f.mul(*part, by)).collect::<Vec<_>>();
    let minus = |a: &[Range], b: &[Range]| a.iter().zip(b).map(|(a, b)| f.sub(*a, *b)).collect::<Vec<_>>();
    let length = |v: &[Range]| if v.len() == 1 { v[0].abs().union(f.sqrt(f.dot(v, v))) } else { f.sqrt(f.dot(v, v)) };
    Some(match (name, arguments) {
        ("dot", [a, b]) => scalar(f.dot(&a.parts, &b.parts)),
        ("length", [v]) => scalar(length(&v.parts)),
        ("distance", [a, b]) => scalar(length(&minus(&a.parts, &b.parts))),
        ("normalize", [v]) => {
            let (by, inverse) = (length(&v.parts), f.inverse_sqrt(f.dot(&v.parts, &v.parts)));
            Shaped::vector(v.parts.iter().map(|part| f.div(*part, by).union(f.mul(*part, inverse))).collect())
        }
        ("cross", [a, b]) if a.parts.len() == 3 && b.parts.len() == 3 => {
            let part = |i: usize, j: usize| f.dot(&[a.parts[i], a.parts[j].negated()], &[b.parts[j], b.parts[i]]);
            Shaped::vector(vec![part(1, 2), part(2, 0), part(0, 1)])
        }
        ("faceforward", [n, i, reference]) => {
            let turned = f.dot(&reference.parts, &i.parts);
            let side = |part: &Range| {
                if turned.high < 0.0 {
                    *part
                } else if turned.low >= 0.0 {
                    part.negated()
                } else {
                    part.union(part.negated())
                }
            };
            Shaped::vector(n.parts.iter().map(side).collect())
        }
        ("reflect", [i, n]) => {
            let twice = f.mul(Range::point(2.0), f.dot(&n.parts, &i.parts));
            Shaped::vector(minus(&i.parts, &scaled(&n.parts, twice)))
        }
        ("refract", [i, n, eta]) => {
            let (eta, cosine, one) = (eta.part(0), f.dot(&n.parts, &i.parts), Range::point(1.0));
            let k = f.sub(one, f.mul(f.mul(eta, eta), f.sub(one, f.mul(cosine, cosine))));
            let zero = Range::point(0.0);
            if k.high < 0.0 {
                return Some(Shaped::vector(vec![zero; i.parts.len()]));
            }
            let root = f.sqrt(Range { low: k.low.max(0.0), high: k.high });
            let bent = minus(&scaled(&i.parts, eta), &scaled(&n.parts, f.add(f.mul(eta, cosine), root)));
            let either = |part: Range| if k.low < 0.0 { part.union(zero) } else { part };
            Shaped::vector(bent.into_iter().map(either).collect())
        }
        ("outerProduct", [column, row]) => Shaped {
            parts: row.parts.iter().flat_map(|by| scaled(&column.parts, *by)).collect(),
            columns: row.parts.len(),
        },
        ("matrixCompMult", [a, b]) => {
            Shaped { parts: a.parts.iter().zip(&b.parts).map(|(a, b)| f.mul(*a, *b)).collect(), columns: a.columns }
        }
        ("transpose", [m]) => Shaped { parts: (0..m.rows()).flat_map(|row| m.row(row)).collect(), columns: m.rows() },
        ("determinant", [m]) => scalar(determinant(f, m)),
        ("inverse", [m]) => {
            let all = determinant(f, m);
            let size = m.columns;
            let part = |at: usize| {
                let minor = determinant(f, &without(m, at % size, at / size));
                f.div(if (at / size + at % size).is_multiple_of(2) { minor } else { minor.negated() }, all)
            };
            Shaped { parts: (0..size * size).map(part).collect(), columns: size }
        }
        _ => return None,
    })
}

fn exponential(floats: Floats, x: Range) -> Range {
    floats.function(Op1::FExp, x, f64::exp)
}

fn half(floats: Floats, x: Range) -> Range {
    floats.mul(x, Range::point(0.5))
}

/// `sqrt(1.0 - x * x)`, from zero on: what is below is chance.
fn opposite(floats: Floats, x: Range) -> Range {
    if x.magnitude() > 1.0 {
        return Range::ANY;
    }
    let rest = floats.sub(Range::point(1.0), floats.mul(x, x));
    floats.sqrt(Range { low: rest.low.max(0.0), high: rest.high })
}

fn clamp(x: Range, low: Range, high: Range) -> Range {
    if x.is_any() {
        return Range { low: low.low, high: high.high };
    }
    Range { low: x.low.max(low.low).min(high.low), high: x.high.max(low.high).min(high.high) }
}

/// By its first column.
fn determinant(floats: Floats, m: &Shaped) -> Range {
    if m.parts.len() <= 1 {
        return m.parts.first().copied().unwrap_or(Range::point(1.0));
    }
    let minors: Vec<Range> = (0..m.rows())
        .map(|row| {
            let minor = determinant(floats, &without(m, 0, row));
            if row.is_multiple_of(2) { minor } else { minor.negated() }
        })
        .collect();
    floats.dot(m.column(0), &minors)
}

/// A matrix without a column and a row.
fn without(m: &Shaped, column: usize, row: usize) -> Shaped {
    let rows = m.rows();
    let kept = (0..m.parts.len()).filter(|at| at / rows != column && at % rows != row);
    Shaped { parts: kept.map(|at| m.parts[at]).collect(), columns: m.columns - 1 }
}

#[cfg(test)]
mod tests {
    use super::super::range::SINGLE;
    use super::*;

    fn numbers(values: &[f64]) -> Shaped {
        Shaped::vector(values.iter().map(|value| Range::point(*value)).collect())
    }

    #[track_caller]
    fn check(name: &str, arguments: &[Shaped], inside: &[f64], outside: &[f64]) {
        let found = call(SINGLE, name, arguments).expect("a known function");
        assert!(found.parts.iter().zip(inside).all(|(range, value)| range.contains(*value)), "{found:?}");
        assert!(!found.parts.iter().zip(outside).all(|(range, value)| range.contains(*value)), "{found:?}");
    }

    #[test]
    fn formulas_hold_their_values() {
        check("normalize", &[numbers(&[3.0, 4.0])], &[0.6, 0.8], &[0.6, 0.8001]);
        check("length", &[numbers(&[3.0, 4.0])], &[5.0], &[5.001]);
        check("reflect", &[numbers(&[1.0, -1.0]), numbers(&[0.0, 1.0])], &[1.0, 1.0], &[1.0, 1.001]);
        check("pow", &[numbers(&[2.0]), numbers(&[10.0])], &[1024.0], &[1025.0]);
        let third = std::f64::consts::FRAC_PI_3;
        check("asin", &[numbers(&[0.75f64.sqrt()])], &[third + 0.0003], &[third + 0.001]);
        check("mod", &[numbers(&[-1.5]), numbers(&[1.0])], &[0.5], &[0.501]);
        check("smoothstep", &[numbers(&[0.0]), numbers(&[2.0]), numbers(&[1.0])], &[0.5], &[0.50001]);
        assert_eq!(call(SINGLE, "texture", &[numbers(&[1.0])]), None);
    }

    #[test]
    fn matrices_are_multiplied_by_columns() {
        let m = Shaped { parts: numbers(&[1.0, 2.0, 3.0, 4.0]).parts, columns: 2 };
        let v = numbers(&[5.0, 6.0]);
        let holds = |found: &Shaped, values: &[f64]| {
            assert_eq!(found.parts.len(), values.len());
            found
                .parts
                .iter()
                .zip(values)
                .all(|(range, value)| range.contains(*value) && range.magnitude() < value + 0.1)
        };
        assert!(holds(&product(SINGLE, &m, &v, true), &[23.0, 34.0]));
        assert!(holds(&product(SINGLE, &v, &m, true), &[17.0, 39.0]));
        assert!(holds(&product(SINGLE, &m, &m, true), &[7.0, 10.0, 15.0, 22.0]));
        check("determinant", std::slice::from_ref(&m), &[-2.0], &[-2.1]);
        check("inverse", &[m], &[-2.0, 1.0, 1.5, -0.5], &[-2.0, 1.0, 1.6, -0.5]);
    }
}
