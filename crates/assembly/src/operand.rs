//! What instructions read.

use crate::parser::{Parser, Thing};
use crate::token::Kind;
use crate::{Fault, Target};

/// A value of four components.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An expression of GLSL that can be followed by a point.
    Text(String),
    /// Numbers.
    Constant([f32; 4]),
}

/// A value with its components in some order.
#[derive(Clone, PartialEq, Debug)]
pub struct Operand {
    value: Value,
    swizzle: [usize; 4],
    negative: bool,
}

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Components as GLSL writes them.
pub fn letters(components: &[usize]) -> String {
    components.iter().map(|component| LETTERS[*component]).collect()
}

/// Expressions, one for each component, as one.
pub fn together(parts: &[String]) -> String {
    match parts {
        [part] => part.clone(),
        [first, rest @ ..] if rest.iter().all(|part| part == first) => format!("vec{}({first})", parts.len()),
        _ => format!("vec{}({})", parts.len(), parts.join(", ")),
    }
}

/// A number as GLSL writes it.
fn literal(number: f32) -> String {
    if number.is_finite() { format!("{number:?}") } else { format!("({:?} / 0.0)", number.signum()) }
}

impl Value {
    /// It as an expression.
    pub fn text(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Constant(numbers) => together(&numbers.map(literal)),
        }
    }
}

impl Operand {
    /// Some of its components, as a float or a vector.
    pub fn pick(&self, components: &[usize]) -> String {
        let chosen: Vec<usize> = components.iter().map(|component| self.swizzle[*component]).collect();
        match &self.value {
            Value::Constant(numbers) => {
                let sign = if self.negative { -1.0 } else { 1.0 };
                let parts: Vec<String> = chosen.iter().map(|component| literal(sign * numbers[*component])).collect();
                together(&parts)
            }
            Value::Text(text) => {
                let sign = if self.negative { "-" } else { "" };
                if chosen == [0, 1, 2, 3] {
                    return format!("{sign}{text}");
                }
                format!("{sign}{text}.{}", letters(&chosen))
            }
        }
    }

    /// One of its components.
    pub fn part(&self, component: usize) -> String {
        self.pick(&[component])
    }

    /// All of it.
    pub fn all(&self) -> String {
        self.pick(&[0, 1, 2, 3])
    }
}

impl Parser<'_> {
    /// A vector with a sign, and components in any order.
    pub fn vector(&mut self) -> Result<Operand, Fault> {
        let negative = self.sign();
        let value = self.source()?;
        let swizzle = if self.accept('.') { self.swizzle()? } else { [0, 1, 2, 3] };
        Ok(Operand { value, swizzle, negative })
    }

    /// One component of a vector, with a sign.
    pub fn scalar(&mut self) -> Result<Operand, Fault> {
        let negative = self.sign();
        let value = self.source()?;
        self.expect('.')?;
        let word = self.word()?;
        match self.component(word) {
            Some((component, _)) => Ok(Operand { value, swizzle: [component; 4], negative }),
            None => Err(self.wrong_before(format!("one component is wanted here, and `{word}` is none"))),
        }
    }

    /// A vector whose components, with signs, are listed behind it; `0` and `1` are themselves.
    pub fn listed(&mut self) -> Result<[String; 4], Fault> {
        let value = self.source()?;
        let mut parts = <[String; 4]>::default();
        let mut colours: Option<bool> = None;
        for part in &mut parts {
            self.expect(',')?;
            let negative = self.sign();
            let sign = if negative { "-" } else { "" };
            *part = match self.next().kind {
                Kind::Integer(number @ (0 | 1)) => format!("{sign}{number}.0"),
                Kind::Word(word) => match self.component(word) {
                    Some((component, colour)) if *colours.get_or_insert(colour) == colour => {
                        Operand { value: value.clone(), swizzle: [component; 4], negative }.part(0)
                    }
                    _ => return Err(self.wrong_before("a component, 0 or 1 is wanted here")),
                },
                _ => return Err(self.wrong_before("a component, 0 or 1 is wanted here")),
            };
        }
        Ok(parts)
    }

    /// A sign that may be there: whether it is a minus.
    pub fn sign(&mut self) -> bool {
        let negative = self.accept('-');
        if !negative {
            self.accept('+');
        }
        negative
    }

    /// A swizzle of one or four components, behind its point.
    fn swizzle(&mut self) -> Result<[usize; 4], Fault> {
        let word = self.word()?;
        let each: Option<Vec<(usize, bool)>> = (0..word.len()).map(|at| self.component(word.get(at..=at)?)).collect();
        let each = each.filter(|each| each.iter().all(|(_, colour)| *colour == each[0].1));
        match each.as_deref() {
            Some(&[(component, _)]) => Ok([component; 4]),
            Some(&[(x, _), (y, _), (z, _), (w, _)]) => Ok([x, y, z, w]),
            _ => Err(self.wrong_before(format!("`{word}` is no component, and no four of them"))),
        }
    }

    /// A component by its letter, and whether it is one of a colour, as which fragment programs may write it.
    pub fn component(&self, letter: &str) -> Option<(usize, bool)> {
        let place = |letters: [&str; 4]| letters.iter().position(|known| *known == letter);
        let colour = || place(["r", "g", "b", "a"]).filter(|_| self.target == Target::Fragment).map(|at| (at, true));
        place(["x", "y", "z", "w"]).map(|at| (at, false)).or_else(colour)
    }

    /// A register, a parameter or numbers.
    fn source(&mut self) -> Result<Value, Fault> {
        match self.peek().kind {
            Kind::Integer(_) | Kind::Float(_) | Kind::Mark('{') => self.constant(),
            Kind::Word("vertex") if self.target == Target::Vertex => self.input().map(Value::Text),
            Kind::Word("fragment") if self.target == Target::Fragment => self.input().map(Value::Text),
            Kind::Word("program" | "state") => self.single(),
            Kind::Word(_) => {
                let name = self.word()?;
                match self.thing(name)? {
                    Thing::Temporary(text) | Thing::Input(text) => Ok(Value::Text(text)),
                    Thing::Value(value) => Ok(value),
                    Thing::Array(array) => self.element(array),
                    Thing::Output(_) => Err(self.wrong_before(format!("`{name}` is a result and cannot be read"))),
                    Thing::Address(_) => Err(self.wrong_before(format!("`{name}` is an address and no value"))),
                }
            }
            _ => Err(self.wrong("a value is wanted here")),
        }
    }

    /// An element of an array, behind its name: by a number, or an address register with an offset.
    fn element(&mut self, array: usize) -> Result<Value, Fault> {
        self.expect('[')?;
        let value = if let Kind::Integer(index) = self.peek().kind {
            self.next();
            match self.arrays[array].elements.get(index as usize) {
                Some(value) => value.clone(),
                None => return Err(self.wrong_before("the array has no such element")),
            }
        } else {
            let name = self.word()?;
            let Thing::Address(address) = self.thing(name)? else {
                return Err(self.wrong_before(format!("`{name}` is no address")));
            };
            self.expect('.')?;
            if self.word()? != "x" {
                return Err(self.wrong_before("addresses have one component"));
            }
            let offset = self.offset()?;
            Value::Text(self.addressed(array, &address, offset)?)
        };
        self.expect(']')?;
        Ok(value)
    }

    /// What is added to an address: from -64 to 63 (ARB_vertex_program, 2.14.2), and more where a driver has more.
    fn offset(&mut self) -> Result<i64, Fault> {
        let sign = match self.peek().kind {
            Kind::Mark('+') => 1,
            Kind::Mark('-') => -1,
            _ => return Ok(0),
        };
        self.next();
        let (offset, most) = (sign * i64::from(self.integer()?), i64::from(self.limits.offset));
        if (-most..most).contains(&offset) {
            return Ok(offset);
        }
        Err(self.wrong_before(format!("offsets of addresses are less than {most}")))
    }
}
