//! Operands of instructions.

use crate::parser::{Binding, Parser};
use crate::token::TokenKind;
use crate::{Fault, Target};

/// A four-component value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A GLSL expression that can be followed by a swizzle.
    Text(String),
    /// Constants.
    Constant([f32; 4]),
}

/// A value with a swizzle.
#[derive(Clone, PartialEq, Debug)]
pub struct Operand {
    value: Value,
    swizzle: [usize; 4],
    negative: bool,
}

const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Component letters for a GLSL swizzle.
pub fn letters(components: &[usize]) -> String {
    components.iter().map(|component| LETTERS[*component]).collect()
}

/// Combines one expression per component into one.
pub fn together(parts: &[String]) -> String {
    match parts {
        [part] => part.clone(),
        [first, rest @ ..] if rest.iter().all(|part| part == first) => format!("vec{}({first})", parts.len()),
        _ => format!("vec{}({})", parts.len(), parts.join(", ")),
    }
}

/// A GLSL literal.
fn literal(number: f32) -> String {
    if number.is_finite() { format!("{number:?}") } else { format!("({:?} / 0.0)", number.signum()) }
}

impl Value {
    /// The value as a GLSL expression.
    pub fn text(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Constant(numbers) => together(&numbers.map(literal)),
        }
    }
}

impl Operand {
    /// The given components, as a float or a vector.
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

    /// A single component.
    pub fn part(&self, component: usize) -> String {
        self.pick(&[component])
    }

    /// All four components.
    pub fn all(&self) -> String {
        self.pick(&[0, 1, 2, 3])
    }
}

impl Parser<'_> {
    /// Parses a vector operand with optional sign and swizzle.
    pub fn vector(&mut self) -> Result<Operand, Fault> {
        let negative = self.sign();
        let value = self.source()?;
        let swizzle = if self.accept('.') { self.swizzle()? } else { [0, 1, 2, 3] };
        Ok(Operand { value, swizzle, negative })
    }

    /// Parses a scalar operand with optional sign.
    pub fn scalar(&mut self) -> Result<Operand, Fault> {
        let negative = self.sign();
        let value = self.source()?;
        self.expect('.')?;
        let word = self.word()?;
        match self.component(word) {
            Some((component, _)) => Ok(Operand { value, swizzle: [component; 4], negative }),
            None => Err(self.error_before(format!("expected one component, not `{word}`"))),
        }
    }

    /// Parses the operand of SWZ: a vector followed by four components, each with a sign, or `0` or `1`.
    pub fn listed(&mut self) -> Result<[String; 4], Fault> {
        let value = self.source()?;
        let mut parts = <[String; 4]>::default();
        let mut colours: Option<bool> = None;
        for part in &mut parts {
            self.expect(',')?;
            let negative = self.sign();
            let sign = if negative { "-" } else { "" };
            *part = match self.next().kind {
                TokenKind::Integer(number @ (0 | 1)) => format!("{sign}{number}.0"),
                TokenKind::Word(word) => match self.component(word) {
                    Some((component, colour)) if *colours.get_or_insert(colour) == colour => {
                        Operand { value: value.clone(), swizzle: [component; 4], negative }.part(0)
                    }
                    _ => return Err(self.error_before("expected a component, 0 or 1")),
                },
                _ => return Err(self.error_before("expected a component, 0 or 1")),
            };
        }
        Ok(parts)
    }

    /// Parses an optional sign; returns true for a minus.
    pub fn sign(&mut self) -> bool {
        let negative = self.accept('-');
        if !negative {
            self.accept('+');
        }
        negative
    }

    /// Parses a swizzle of one or four components after its point.
    fn swizzle(&mut self) -> Result<[usize; 4], Fault> {
        let word = self.word()?;
        let each: Option<Vec<(usize, bool)>> = (0..word.len()).map(|at| self.component(word.get(at..=at)?)).collect();
        let each = each.filter(|each| each.iter().all(|(_, colour)| *colour == each[0].1));
        match each.as_deref() {
            Some(&[(component, _)]) => Ok([component; 4]),
            Some(&[(x, _), (y, _), (z, _), (w, _)]) => Ok([x, y, z, w]),
            _ => Err(self.error_before(format!("`{word}` is not a swizzle of one or four components"))),
        }
    }

    /// The component with this letter, and whether the letter is one of `rgba`, which fragment programs may use.
    pub fn component(&self, letter: &str) -> Option<(usize, bool)> {
        let place = |letters: [&str; 4]| letters.iter().position(|known| *known == letter);
        let colour = || place(["r", "g", "b", "a"]).filter(|_| self.target == Target::Fragment).map(|at| (at, true));
        place(["x", "y", "z", "w"]).map(|at| (at, false)).or_else(colour)
    }

    /// Parses a register, a parameter or constants.
    fn source(&mut self) -> Result<Value, Fault> {
        match self.peek().kind {
            TokenKind::Integer(_) | TokenKind::Float(_) | TokenKind::Mark('{') => self.constant(),
            TokenKind::Word("vertex") if self.target == Target::Vertex => self.input().map(Value::Text),
            TokenKind::Word("fragment") if self.target == Target::Fragment => self.input().map(Value::Text),
            TokenKind::Word("program" | "state") => self.single(),
            TokenKind::Word(_) => {
                let name = self.word()?;
                match self.binding(name)? {
                    Binding::Temporary(text) | Binding::Input(text) => Ok(Value::Text(text)),
                    Binding::Value(value) => Ok(value),
                    Binding::Array(array) => self.element(array),
                    Binding::Output(_) => Err(self.error_before(format!("`{name}` is a result and not readable"))),
                    Binding::Address(_) => {
                        Err(self.error_before(format!("`{name}` is an address register, not a value")))
                    }
                }
            }
            _ => Err(self.error("expected a value")),
        }
    }

    /// Parses the index of an array element after the array's name: a number, or an address register with an offset.
    fn element(&mut self, array: usize) -> Result<Value, Fault> {
        self.expect('[')?;
        let value = if let TokenKind::Integer(index) = self.peek().kind {
            self.next();
            match self.arrays[array].elements.get(index as usize) {
                Some(value) => value.clone(),
                None => return Err(self.error_before("the index is outside of the array")),
            }
        } else {
            let name = self.word()?;
            let Binding::Address(address) = self.binding(name)? else {
                return Err(self.error_before(format!("`{name}` is not an address register")));
            };
            self.expect('.')?;
            if self.word()? != "x" {
                return Err(self.error_before("address registers have only the component `x`"));
            }
            let offset = self.offset()?;
            Value::Text(self.addressed(array, &address, offset)?)
        };
        self.expect(']')?;
        Ok(value)
    }

    /// Parses an offset to an address register: from -64 to 63 (ARB_vertex_program, 2.14.2), or more if the driver
    /// allows it.
    fn offset(&mut self) -> Result<i64, Fault> {
        let sign = match self.peek().kind {
            TokenKind::Mark('+') => 1,
            TokenKind::Mark('-') => -1,
            _ => return Ok(0),
        };
        self.next();
        let (offset, most) = (sign * i64::from(self.integer()?), i64::from(self.limits.offset));
        if (-most..most).contains(&offset) {
            return Ok(offset);
        }
        Err(self.error_before(format!("the offset must be less than {most}")))
    }
}
