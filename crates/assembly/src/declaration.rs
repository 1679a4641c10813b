//! Names and what they stand for.

use crate::operand::Value;
use crate::parser::{Parser, Thing};
use crate::reserved::{glsl_name, is_reserved};
use crate::token::Kind;
use crate::{Fault, Target};

/// What a result is in GLSL.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// The variable, or an element of it.
    pub variable: String,
    /// Which component counts, where GLSL has a float.
    pub only: Option<usize>,
}

/// An array of parameters.
pub struct Array {
    /// Its name in GLSL.
    name: String,
    pub elements: Vec<Value>,
    /// The uniform that it is a part of, and its first element there.
    within: Option<(&'static str, u32)>,
    /// The line on which it is declared once an address looks something up in it.
    line: usize,
}

impl<'t> Parser<'t> {
    /// A declaration, behind its first word, which is at a byte; false if it is none.
    pub fn declaration(&mut self, word: &str, start: usize) -> Result<bool, Fault> {
        match word {
            "TEMP" => self.registers("vec4", start, Thing::Temporary)?,
            "ADDRESS" if self.target == Target::Vertex => self.registers("int", start, Thing::Address)?,
            "PARAM" => self.parameter(start)?,
            "ATTRIB" | "OUTPUT" | "ALIAS" => {
                let name = self.new_name()?;
                self.expect('=')?;
                let thing = match word {
                    "ATTRIB" => Thing::Input(self.input()?),
                    "OUTPUT" => Thing::Output(self.output()?),
                    _ => {
                        let known = self.word()?;
                        self.thing(known)?
                    }
                };
                self.names.insert(name, thing);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A name that stands for nothing yet.
    fn new_name(&mut self) -> Result<&'t str, Fault> {
        let name = self.word()?;
        if is_reserved(name, self.target) {
            return Err(self.wrong_before(format!("`{name}` means something else")));
        }
        if self.names.contains_key(name) {
            return Err(self.wrong_before(format!("`{name}` is declared twice")));
        }
        Ok(name)
    }

    /// The name that something has in GLSL.
    fn glsl_name(&self, name: &str) -> String {
        glsl_name(name, |free| {
            let registers = self.names.values().any(|thing| match thing {
                Thing::Temporary(known) | Thing::Address(known) => known == free,
                _ => false,
            });
            registers || self.arrays.iter().any(|array| array.name == free)
        })
    }

    /// `TEMP` and `ADDRESS`.
    fn registers(&mut self, kind: &str, start: usize, thing: fn(String) -> Thing) -> Result<(), Fault> {
        let mut list = Vec::new();
        loop {
            let name = self.new_name()?;
            let text = self.glsl_name(name);
            self.names.insert(name, thing(text.clone()));
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
            let value = if matches!(self.peek().kind, Kind::Word(_)) { self.single()? } else { self.constant()? };
            self.names.insert(name, Thing::Value(value));
            return Ok(());
        }
        let size = if self.sees(']') { None } else { Some(self.integer()?) };
        if size == Some(0) {
            return Err(self.wrong_before("arrays have elements"));
        }
        self.expect(']')?;
        self.expect('=')?;
        self.expect('{')?;
        let mut elements = Vec::new();
        loop {
            match self.peek().kind {
                Kind::Word(_) => elements.extend(self.several()?),
                _ => elements.push(self.constant()?),
            }
            if !self.accept(',') {
                break;
            }
        }
        self.expect('}')?;
        if size.is_some_and(|size| size as usize != elements.len()) {
            return Err(self.wrong_before(format!("the array has {} elements", elements.len())));
        }
        let within =
            self.target.uniforms().into_iter().find_map(|uniform| Some((uniform, run_of(uniform, &elements)?)));
        let glsl = self.glsl_name(name);
        let origin = self.origin(start);
        let line = self.writer.line(String::new(), origin);
        self.names.insert(name, Thing::Array(self.arrays.len()));
        self.arrays.push(Array { name: glsl, elements, within, line });
        Ok(())
    }

    /// An element of an array that is looked up by an address.
    pub fn addressed(&mut self, array: usize, address: &str, offset: i64) -> Result<String, Fault> {
        let array = &self.arrays[array];
        let bound = array.elements.iter().filter(|element| matches!(element, Value::Text(_)));
        let mut bound: Vec<String> = bound.map(Value::text).collect();
        bound.sort_unstable();
        if bound.windows(2).any(|two| two[0] == two[1]) {
            return Err(
                self.wrong_before("a parameter is bound twice in an array that an address looks something up in")
            );
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

    /// `vertex.…` or `fragment.…`, as an expression of GLSL.
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
            _ => return Err(self.wrong_before(format!("there is no attribute `{of}.{what}` that is supported"))),
        };
        if target == Target::Vertex {
            self.conventional.extend(alias(&text));
            // They are the same attribute (ARB_vertex_program, 2.14.3.1).
            if let Some(number) = self.conventional.intersection(&self.writer.attributes).next() {
                let message = format!("`vertex.attrib[{number}]` is bound, and by its other name as well");
                return Err(self.wrong_before(message));
            }
        }
        Ok(text)
    }

    /// `.one` or `.other`, or neither: whether it is the other.
    pub fn second_of(&mut self, words: [&str; 2]) -> bool {
        let (point, word) = (self.peek().kind, self.after().kind);
        let second = word == Kind::Word(words[1]);
        if point == Kind::Mark('.') && (second || word == Kind::Word(words[0])) {
            self.next();
            self.next();
            return second;
        }
        false
    }

    /// `result.…`.
    pub fn output(&mut self) -> Result<Output, Fault> {
        if self.word()? != "result" {
            return Err(self.wrong_before("a result is wanted here"));
        }
        self.expect('.')?;
        let what = self.word()?;
        let plain = |variable: &str, only| Output { variable: variable.to_owned(), only };
        Ok(match (self.target, what) {
            (Target::Vertex, "position") if self.options.position_invariant => {
                return Err(self.wrong_before("the position is that of fixed functions, as an option says"));
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
            _ => return Err(self.wrong_before(format!("there is no result `{what}`"))),
        })
    }
}

/// The number of the generic attribute that is the same as a conventional one (ARB_vertex_program, table X.1).
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

/// The first of elements that follow each other in a uniform.
fn run_of(uniform: &str, elements: &[Value]) -> Option<u32> {
    let place = |value: &Value| match value {
        Value::Text(text) => text.strip_prefix(uniform)?.strip_prefix('[')?.strip_suffix(']')?.parse::<u32>().ok(),
        Value::Constant(_) => None,
    };
    let first = place(elements.first()?)?;
    elements.iter().zip(first..).all(|(value, wanted)| place(value) == Some(wanted)).then_some(first)
}
