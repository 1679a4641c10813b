//! Translation of instructions.

use crate::declaration::Output;
use crate::operand::{letters, together};
use crate::parser::{Binding, Parser};
use crate::token::TokenKind;
use crate::{Fault, Target};

/// The destination of an instruction.
struct Destination {
    /// The GLSL variable.
    variable: String,
    /// The components of the result that are written.
    components: Vec<usize>,
    /// Whether the variable is a float.
    is_float: bool,
}

/// The result of an instruction.
enum Outcome {
    /// An expression with exactly the components that are written.
    Parts(String),
    /// A float that is written to every component.
    Everywhere(String),
    /// A `vec4`.
    Vector(String),
}

impl<'t> Parser<'t> {
    /// Parses an instruction after its name; returns a GLSL statement.
    pub fn instruction(&mut self, name: &str) -> Result<String, Fault> {
        let fragment = self.target == Target::Fragment;
        if name == "KIL" && fragment {
            let value = self.vector()?;
            return Ok(format!("if (any(lessThan({}, vec4(0.0)))) discard;", value.all()));
        }
        if name == "ARL" && !fragment {
            let address = self.address()?;
            self.expect(',')?;
            let value = self.scalar()?;
            return Ok(format!("{address} = int(floor({}));", value.part(0)));
        }
        let (operation, saturates) = match name.strip_suffix("_SAT") {
            Some(operation) if fragment => (operation, true),
            _ => (name, false),
        };
        if !is_known(operation, self.target) {
            return Err(self.error_before(format!("unknown instruction `{name}`")));
        }
        let Destination { variable, components, is_float } = self.destination()?;
        self.expect(',')?;
        // An instruction that writes no components is translated only to check it.
        let computed = if components.is_empty() { vec![0] } else { components.clone() };
        let outcome = self.outcome(operation, &computed)?;
        if components.is_empty() {
            return Ok(String::new());
        }
        let count = components.len();
        let value = match outcome {
            Outcome::Parts(text) => text,
            Outcome::Everywhere(text) if count == 1 => text,
            Outcome::Everywhere(text) => format!("vec{count}({text})"),
            Outcome::Vector(text) if count == 4 => text,
            Outcome::Vector(text) => format!("{text}.{}", letters(&components)),
        };
        let value = if saturates { format!("clamp({value}, 0.0, 1.0)") } else { value };
        if is_float || count == 4 {
            return Ok(format!("{variable} = {value};"));
        }
        Ok(format!("{variable}.{} = {value};", letters(&components)))
    }

    /// The expression that an instruction computes.
    fn outcome(&mut self, operation: &str, components: &[usize]) -> Result<Outcome, Fault> {
        let count = components.len();
        Ok(match operation {
            "ABS" | "FLR" | "FRC" | "MOV" => {
                let value = self.vector()?.pick(components);
                Outcome::Parts(match operation {
                    "ABS" => format!("abs({value})"),
                    "FLR" => format!("floor({value})"),
                    "FRC" => format!("fract({value})"),
                    _ => value,
                })
            }
            "LIT" => {
                let value = self.vector()?;
                let [x, y, w] = [0, 1, 3].map(|component| value.part(component));
                let shine = format!("{x} > 0.0 ? pow(max({y}, 0.0), clamp({w}, -128.0, 128.0)) : 0.0");
                parts(components, &["1.0".to_owned(), format!("max({x}, 0.0)"), shine, "1.0".to_owned()])
            }
            "COS" | "EX2" | "LG2" | "RCP" | "RSQ" | "SIN" => {
                let value = self.scalar()?.part(0);
                Outcome::Everywhere(match operation {
                    "COS" => format!("cos({value})"),
                    "EX2" => format!("exp2({value})"),
                    "LG2" => format!("log2({value})"),
                    "RCP" => format!("1.0 / {value}"),
                    "RSQ" => format!("inversesqrt(abs({value}))"),
                    _ => format!("sin({value})"),
                })
            }
            // The last two components are undefined (ARB_fragment_program, 3.11.5.23); these are Mesa's values.
            "SCS" => {
                let value = self.scalar()?.part(0);
                let each = [format!("cos({value})"), format!("sin({value})"), "0.0".to_owned(), "1.0".to_owned()];
                parts(components, &each)
            }
            "EXP" => {
                let value = self.scalar()?.part(0);
                let each = [format!("exp2(floor({value}))"), format!("fract({value})"), format!("exp2({value})")];
                let [x, y, z] = each;
                parts(components, &[x, y, z, "1.0".to_owned()])
            }
            "LOG" => {
                let value = format!("abs({})", self.scalar()?.part(0));
                let whole = format!("floor(log2({value}))");
                let mantissa = format!("{value} * exp2(-{whole})");
                parts(components, &[whole, mantissa, format!("log2({value})"), "1.0".to_owned()])
            }
            "POW" => {
                let [base, exponent] = self.scalars()?;
                Outcome::Everywhere(format!("pow({base}, {exponent})"))
            }
            "SWZ" => {
                let each = self.listed()?;
                parts(components, &each)
            }
            "TEX" | "TXB" | "TXP" => Outcome::Vector(self.look_up(operation)?),
            "CMP" | "LRP" | "MAD" => {
                let a = self.vector()?;
                self.expect(',')?;
                let b = self.vector()?;
                self.expect(',')?;
                let c = self.vector()?;
                if operation == "CMP" {
                    let each = |component: &usize| {
                        let [a, b, c] = [&a, &b, &c].map(|value| value.part(*component));
                        format!("{a} < 0.0 ? {b} : {c}")
                    };
                    let each: Vec<String> = components.iter().map(each).collect();
                    return Ok(Outcome::Parts(together(&each)));
                }
                let [a, b, c] = [a, b, c].map(|value| value.pick(components));
                let sum = if operation == "LRP" { format!("mix({c}, {b}, {a})") } else { format!("{a} * {b} + {c}") };
                Outcome::Parts(sum)
            }
            _ => {
                let a = self.vector()?;
                self.expect(',')?;
                let b = self.vector()?;
                let [some_a, some_b] = [&a, &b].map(|value| value.pick(components));
                let [three_a, three_b] = [&a, &b].map(|value| value.pick(&[0, 1, 2]));
                let compared = |function: &str, mark: &str| {
                    Outcome::Parts(match count {
                        1 => format!("float({some_a} {mark} {some_b})"),
                        _ => format!("vec{count}({function}({some_a}, {some_b}))"),
                    })
                };
                match operation {
                    "ADD" => Outcome::Parts(format!("{some_a} + {some_b}")),
                    "SUB" => Outcome::Parts(format!("{some_a} - {some_b}")),
                    "MUL" => Outcome::Parts(format!("{some_a} * {some_b}")),
                    "MIN" => Outcome::Parts(format!("min({some_a}, {some_b})")),
                    "MAX" => Outcome::Parts(format!("max({some_a}, {some_b})")),
                    "SGE" => compared("greaterThanEqual", ">="),
                    "SLT" => compared("lessThan", "<"),
                    "DP3" => Outcome::Everywhere(format!("dot({three_a}, {three_b})")),
                    "DP4" => Outcome::Everywhere(format!("dot({}, {})", a.all(), b.all())),
                    "DPH" => Outcome::Everywhere(format!("dot({three_a}, {three_b}) + {}", b.part(3))),
                    "XPD" => match components {
                        [0, 1, 2] => Outcome::Parts(format!("cross({three_a}, {three_b})")),
                        _ => Outcome::Vector(format!("vec4(cross({three_a}, {three_b}), 1.0)")),
                    },
                    // The remaining one is DST.
                    _ => {
                        let product = format!("{} * {}", a.part(1), b.part(1));
                        parts(components, &["1.0".to_owned(), product, a.part(2), b.part(3)])
                    }
                }
            }
        })
    }

    fn scalars(&mut self) -> Result<[String; 2], Fault> {
        let first = self.scalar()?.part(0);
        self.expect(',')?;
        Ok([first, self.scalar()?.part(0)])
    }

    /// Parses a register or result with its write mask.
    fn destination(&mut self) -> Result<Destination, Fault> {
        let output = if self.peek().kind == TokenKind::Word("result") {
            self.output()?
        } else {
            let name = self.word()?;
            match self.binding(name)? {
                Binding::Temporary(variable) => {
                    return Ok(Destination { variable, components: self.mask()?, is_float: false });
                }
                Binding::Output(output) => output,
                _ => return Err(self.error_before(format!("`{name}` is not writable"))),
            }
        };
        let Output { variable, only } = output;
        self.writer.written.insert(variable.clone());
        let mut components = self.mask()?;
        components.retain(|component| only.is_none_or(|only| *component == only));
        Ok(Destination { variable, components, is_float: only.is_some() })
    }

    /// Parses a write mask: components in order; all four if there is none.
    fn mask(&mut self) -> Result<Vec<usize>, Fault> {
        if !self.accept('.') {
            return Ok(vec![0, 1, 2, 3]);
        }
        let word = self.word()?;
        let each: Option<Vec<(usize, bool)>> = (0..word.len()).map(|at| self.component(word.get(at..=at)?)).collect();
        let ordered =
            |each: &Vec<(usize, bool)>| each.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 == two[1].1);
        match each.filter(ordered) {
            Some(each) => Ok(each.into_iter().map(|(component, _)| component).collect()),
            None => Err(self.error_before(format!("`{word}` is not a write mask"))),
        }
    }

    /// Parses the destination `A.x`.
    fn address(&mut self) -> Result<String, Fault> {
        let name = self.word()?;
        let Binding::Address(address) = self.binding(name)? else {
            return Err(self.error_before(format!("`{name}` is not an address register")));
        };
        self.expect('.')?;
        match self.word()? {
            "x" => Ok(address),
            _ => Err(self.error_before("address registers have only the component `x`")),
        }
    }

    /// Parses a texture look-up: coordinates, unit and target.
    fn look_up(&mut self, operation: &str) -> Result<String, Fault> {
        let at = self.vector()?;
        self.expect(',')?;
        if self.word()? != "texture" {
            return Err(self.error_before("expected a texture unit"));
        }
        let unit = self.index_or_first(self.limits.units)?;
        self.expect(',')?;
        let (kind, function, used) = match self.target_name()? {
            "1D" => ("sampler1D", "texture1D", 1),
            "2D" => ("sampler2D", "texture2D", 2),
            "3D" => ("sampler3D", "texture3D", 3),
            "CUBE" => ("samplerCube", "textureCube", 3),
            "RECT" => ("sampler2DRect", "texture2DRect", 2),
            "SHADOW1D" if self.options.shadow => ("sampler1DShadow", "shadow1D", 3),
            "SHADOW2D" if self.options.shadow => ("sampler2DShadow", "shadow2D", 3),
            "SHADOWRECT" if self.options.shadow => ("sampler2DRectShadow", "shadow2DRect", 3),
            "ARRAY1D" if self.options.texture_array => ("sampler1DArray", "texture1DArray", 2),
            "ARRAY2D" if self.options.texture_array => ("sampler2DArray", "texture2DArray", 3),
            other => return Err(self.error_before(format!("unknown texture target `{other}`"))),
        };
        // A program may use a unit with one target only (ARB_fragment_program, 3.11.6).
        if *self.writer.units.entry(unit).or_insert(kind) != kind {
            return Err(self.error_before(format!("texture unit {unit} is used with two texture targets")));
        }
        let some = |count: usize| at.pick(&[0, 1, 2, 3][..count]);
        Ok(match operation {
            "TXP" if matches!(kind, "samplerCube" | "sampler1DArray" | "sampler2DArray") => {
                format!("{function}(unit{unit}, {} / {})", some(used), at.part(3))
            }
            "TXP" => format!("{function}Proj(unit{unit}, {})", at.all()),
            // Rectangle textures have one level, and GLSL has no bias for them.
            "TXB" if !kind.contains("Rect") => format!("{function}(unit{unit}, {}, {})", some(used), at.part(3)),
            _ => format!("{function}(unit{unit}, {})", some(used)),
        })
    }

    /// Parses the name of a texture target, which may begin with a digit.
    fn target_name(&mut self) -> Result<&'t str, Fault> {
        let digits = match self.peek().kind {
            TokenKind::Integer(1) => "1D",
            TokenKind::Integer(2) => "2D",
            TokenKind::Integer(3) => "3D",
            _ => return self.word(),
        };
        let end = self.next().end;
        match self.peek() {
            next if next.start == end && next.kind == TokenKind::Word("D") => {
                self.next();
                Ok(digits)
            }
            _ => Err(self.error("expected a texture target")),
        }
    }
}

/// The selected ones of four expressions.
fn parts(components: &[usize], each: &[String; 4]) -> Outcome {
    let chosen: Vec<String> = components.iter().map(|component| each[*component].clone()).collect();
    Outcome::Parts(together(&chosen))
}

/// Whether the target has an instruction, apart from those that write no vector.
fn is_known(operation: &str, target: Target) -> bool {
    match operation {
        "ABS" | "ADD" | "DP3" | "DP4" | "DPH" | "DST" | "EX2" | "FLR" | "FRC" | "LG2" | "LIT" | "MAD" | "MAX"
        | "MIN" | "MOV" | "MUL" | "POW" | "RCP" | "RSQ" | "SGE" | "SLT" | "SUB" | "SWZ" | "XPD" => true,
        "EXP" | "LOG" => target == Target::Vertex,
        "CMP" | "COS" | "LRP" | "SCS" | "SIN" | "TEX" | "TXB" | "TXP" => target == Target::Fragment,
        _ => false,
    }
}
