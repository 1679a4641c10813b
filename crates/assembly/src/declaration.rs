//! Declarations: names and what they are bound to.

use crate::operand::Value;
use crate::parser::{Binding, Parser};
use crate::reserved::{glsl_name, is_reserved};
use crate::token::TokenKind;
use crate::{Fault, Target};

/// The GLSL variable for a result.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// The variable, or an element of it.
    pub variable: String,
    /// The component that is used, where GLSL has a float.
    pub only: Option<usize>,
}

/// A parameter array.
pub struct Array {
    /// Its name in GLSL.
    name: String,
    pub elements: Vec<Value>,
    /// The uniform array that contains it, and the index of its first element there.
    within: Option<(&'static str, u32)>,
    /// The line that gets its declaration once it is indexed with an address register.
    line: usize,
}

impl<'t> Parser<'t> {
    /// Parses a declaration after its first word, which starts at byte `start`; returns false if it is none.
    pub fn declaration(&mut self, word: &str, start: usize) -> Result<bool, Fault> {
        match word {
            "TEMP" => self.registers("vec4", start, Binding::Temporary)?,
            "ADDRESS" if self.target == Target::Vertex => self.registers("int", start, Binding::Address)?,
            "PARAM" => self.parameter(start)?,
            "ATTRIB" | "OUTPUT" | "ALIAS" => {
                let name = self.new_name()?;
                self.expect('=')?;
                let binding = match word {
                    "ATTRIB" => Binding::Input(self.input()?),
                    "OUTPUT" => Binding::Output(self.output()?),
                    _ => {
                        let known = self.word()?;
                        self.binding(known)?
                    }
                };
                self.names.insert(name, binding);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Parses a name that is not declared yet.
    fn new_name(&mut self) -> Result<&'t str, Fault> {
        let name = self.word()?;
        if is_reserved(name, self.target) {
            return Err(self.error_before(format!("`{name}` is reserved")));
        }
        if self.names.contains_key(name) {
            return Err(self.error_before(format!("`{name}` is declared twice")));
        }
        Ok(name)
    }

    /// The GLSL identifier for a name.
    fn glsl_name(&self, name: &str) -> String {
        glsl_name(name, |free| {
            let registers = self.names.values().any(|binding| match binding {
                Binding::Temporary(known) | Binding::Address(known) => known == free,
                _ => false,
            });
            registers || self.arrays.iter().any(|array| array.name == free)
        })
    }

    /// `TEMP` and `ADDRESS`.
    fn registers(&mut self, kind: &str, start: usize, binding: fn(String) -> Binding) -> Result<(), Fault> {
        let mut list = Vec::new();
        loop {
            let name = self.new_name()?;
            let text = self.glsl_name(name);
            self.names.insert(name, binding(text.clone()));
            list.push(text);
            if !self.accept(',') {
                break;
            }
        }
        let origin = self.origin(start);
        self.writer.line(format!("{kind} {};", list.join(", ")), origin);
        Ok(())
    }

    /// `PARAM`.
    fn parameter(&mut self, start: usize) -> Result<(), Fault> {
        let name = self.new_name()?;
        if !self.accept('[') {
            self.expect('=')?;
            let value = if matches!(self.peek().kind, TokenKind::Word(_)) { self.single()? } else { self.constant()? };
            self.names.insert(name, Binding::Value(value));
            return Ok(());
        }
        let size = if self.sees(']') { None } else { Some(self.integer()?) };
        if size == Some(0) {
            return Err(self.error_before("an array needs at least one element"));
        }
        self.expect(']')?;
        self.expect('=')?;
        self.expect('{')?;
        let mut elements = Vec::new();
        loop {
            match self.peek().kind {
                TokenKind::Word(_) => elements.extend(self.several()?),
                _ => elements.push(self.constant()?),
            }
            if !self.accept(',') {
                break;
            }
        }
        self.expect('}')?;
        if size.is_some_and(|size| size as usize != elements.len()) {
            return Err(self.error_before(format!("the array has {} elements", elements.len())));
        }
        let within =
            self.target.uniforms().into_iter().find_map(|uniform| Some((uniform, run_of(uniform, &elements)?)));
        let glsl = self.glsl_name(name);
        let origin = self.origin(start);
        let line = self.writer.line(String::new(), origin);
        self.names.insert(name, Binding::Array(self.arrays.len()));
        self.arrays.push(Array { name: glsl, elements, within, line });
        Ok(())
    }

    /// An element of an array, indexed with an address register.
    pub fn addressed(&mut self, array: usize, address: &str, offset: i64) -> Result<String, Fault> {
        let array = &self.arrays[array];
        let bound = array.elements.iter().filter(|element| matches!(element, Value::Text(_)));
        let mut bound: Vec<String> = bound.map(Value::text).collect();
        bound.sort_unstable();
        if bound.windows(2).any(|two| two[0] == two[1]) {
            return Err(self.error_before("an array indexed with an address register binds a parameter twice"));
        }
        let (name, first) = array.within.map_or((array.name.as_str(), 0), |(name, first)| (name, i64::from(first)));
        if array.within.is_none() {
            let elements: Vec<String> = array.elements.iter().map(Value::text).collect();
            let count = elements.len();
            let statement = format!("vec4 {name}[{count}] = vec4[{count}]({});", elements.join(", "));
            self.writer.replace(array.line, statement);
        }
        Ok(match first + offset {
            0 => format!("{name}[{address}]"),
            offset @ 1.. => format!("{name}[{address} + {offset}]"),
            offset => format!("{name}[{address} - {}]", -offset),
        })
    }

    /// Parses `vertex.…` or `fragment.…` and returns a GLSL expression.
    pub fn input(&mut self) -> Result<String, Fault> {
        let (of, target) = (self.word()?, self.target);
        self.expect('.')?;
        let what = self.word()?;
        let text = match (target, of, what) {
            (Target::Vertex, "vertex", "position") => "gl_Vertex".to_owned(),
            (Target::Vertex, "vertex", "normal") => "vec4(gl_Normal, 1.0)".to_owned(),
            (Target::Vertex, "vertex", "fogcoord") => "vec4(gl_FogCoord, 0.0, 0.0, 1.0)".to_owned(),
            (Target::Vertex, "vertex", "texcoord") => {
                format!("gl_MultiTexCoord{}", self.index_or_first(self.limits.coordinates)?)
            }
            (Target::Vertex, "vertex", "attrib") => {
                let number = self.index(self.limits.attributes)?;
                self.writer.attributes.insert(number);
                format!("attribute{number}")
            }
            (Target::Fragment, "fragment", "position") => "gl_FragCoord".to_owned(),
            (Target::Fragment, "fragment", "fogcoord") => "vec4(gl_FogFragCoord, 0.0, 0.0, 1.0)".to_owned(),
            (Target::Fragment, "fragment", "texcoord") => {
                format!("gl_TexCoord[{}]", self.index_or_first(self.limits.coordinates)?)
            }
            (Target::Vertex, "vertex", "color") | (Target::Fragment, "fragment", "color") => {
                let secondary = self.second_of(["primary", "secondary"]);
                if secondary { "gl_SecondaryColor" } else { "gl_Color" }.to_owned()
            }
            _ => return Err(self.error_before(format!("unknown or unsupported attribute `{of}.{what}`"))),
        };
        if target == Target::Vertex {
            self.conventional.extend(alias(&text));
            // Both names refer to the same attribute (ARB_vertex_program, 2.14.3.1).
            if let Some(number) = self.conventional.intersection(&self.writer.attributes).next() {
                let message = format!("`vertex.attrib[{number}]` is also bound by its conventional name");
                return Err(self.error_before(message));
            }
        }
        Ok(text)
    }

    /// Parses an optional `.one` or `.other`; returns true for the second.
    pub fn second_of(&mut self, words: [&str; 2]) -> bool {
        let (point, word) = (self.peek().kind, self.after().kind);
        let second = word == TokenKind::Word(words[1]);
        if point == TokenKind::Mark('.') && (second || word == TokenKind::Word(words[0])) {
            self.next();
            self.next();
            return second;
        }
        false
    }

    /// Parses `result.…`.
    pub fn output(&mut self) -> Result<Output, Fault> {
        if self.word()? != "result" {
            return Err(self.error_before("expected a result"));
        }
        self.expect('.')?;
        let what = self.word()?;
        let plain = |variable: &str, only| Output { variable: variable.to_owned(), only };
        Ok(match (self.target, what) {
            (Target::Vertex, "position") if self.options.position_invariant => {
                return Err(
                    self.error_before("the program cannot write the position with OPTION ARB_position_invariant")
                );
            }
            (Target::Vertex, "position") => plain("gl_Position", None),
            (Target::Vertex, "fogcoord") => plain("gl_FogFragCoord", Some(0)),
            (Target::Vertex, "pointsize") => plain("gl_PointSize", Some(0)),
            (Target::Vertex, "texcoord") => {
                let number = self.index_or_first(self.limits.coordinates)?;
                plain(&format!("gl_TexCoord[{number}]"), None)
            }
            (Target::Vertex, "color") => {
                let back = self.second_of(["front", "back"]);
                let secondary = self.second_of(["primary", "secondary"]);
                plain(COLOURS[usize::from(back)][usize::from(secondary)], None)
            }
            (Target::Fragment, "depth") => plain("gl_FragDepth", Some(2)),
            (Target::Fragment, "color") if self.options.draw_buffers => {
                let number = self.index_or_first(self.limits.colours)?;
                plain(&format!("gl_FragData[{number}]"), None)
            }
            (Target::Fragment, "color") => plain("gl_FragColor", None),
            _ => return Err(self.error_before(format!("unknown result `{what}`"))),
        })
    }
}

/// The number of the generic attribute that aliases a conventional one (ARB_vertex_program, table X.1).
fn alias(text: &str) -> Option<u32> {
    match text {
        "gl_Vertex" => Some(0),
        "vec4(gl_Normal, 1.0)" => Some(2),
        "gl_Color" => Some(3),
        "gl_SecondaryColor" => Some(4),
        "vec4(gl_FogCoord, 0.0, 0.0, 1.0)" => Some(5),
        _ => text.strip_prefix("gl_MultiTexCoord")?.parse().ok().map(|unit: u32| 8 + unit),
    }
}

/// Colours of vertices: front and back, primary and secondary.
const COLOURS: [[&str; 2]; 2] =
    [["gl_FrontColor", "gl_FrontSecondaryColor"], ["gl_BackColor", "gl_BackSecondaryColor"]];

/// The index of the first element, if the elements are consecutive in a uniform array.
fn run_of(uniform: &str, elements: &[Value]) -> Option<u32> {
    let place = |value: &Value| match value {
        Value::Text(text) => text.strip_prefix(uniform)?.strip_prefix('[')?.strip_suffix(']')?.parse::<u32>().ok(),
        Value::Constant(_) => None,
    };
    let first = place(elements.first()?)?;
    elements.iter().zip(first..).all(|(value, wanted)| place(value) == Some(wanted)).then_some(first)
}
