//! Parameters: constants, program parameters and GL state.

use crate::operand::Value;
use crate::parser::Parser;
use crate::token::TokenKind;
use crate::{Fault, Form, Target};

/// A range of indices.
type Range = std::ops::RangeInclusive<u32>;

impl Parser<'_> {
    /// Parses a number, or up to four in braces; missing components are 0, 0 and 1.
    pub fn constant(&mut self) -> Result<Value, Fault> {
        if !self.accept('{') {
            return Ok(Value::Constant([self.number()?; 4]));
        }
        let mut numbers = [0.0, 0.0, 0.0, 1.0];
        for (place, number) in numbers.iter_mut().enumerate() {
            *number = self.number()?;
            if place == 3 || !self.accept(',') {
                break;
            }
        }
        self.expect('}')?;
        Ok(Value::Constant(numbers))
    }

    fn number(&mut self) -> Result<f32, Fault> {
        let sign = if self.sign() { -1.0 } else { 1.0 };
        match self.next().kind {
            TokenKind::Integer(number) => Ok(sign * number as f32),
            TokenKind::Float(number) => Ok(sign * number),
            _ => Err(self.error_before("expected a number")),
        }
    }

    /// Parses a single parameter.
    pub fn single(&mut self) -> Result<Value, Fault> {
        let start = self.peek();
        let mut values = self.several()?;
        match values.pop() {
            Some(value) if values.is_empty() => Ok(value),
            _ => Err(self.error_at(start, "expected a single parameter, not several")),
        }
    }

    /// Parses one or several consecutive parameters.
    pub fn several(&mut self) -> Result<Vec<Value>, Fault> {
        let text = match self.word()? {
            "program" => {
                self.expect('.')?;
                let (environment, limit) = match self.word()? {
                    "env" => (true, self.limits.environment),
                    "local" => (false, self.limits.local),
                    other => return Err(self.error_before(format!("unknown program parameter `{other}`"))),
                };
                let range = self.range(limit)?;
                let count = if environment { &mut self.writer.environment } else { &mut self.writer.local };
                *count = (*count).max(range.end() + 1);
                let name = self.target.uniforms()[usize::from(!environment)];
                return Ok(range.map(|index| Value::Text(format!("{name}[{index}]"))).collect());
            }
            "state" => {
                self.expect('.')?;
                let item = self.word()?;
                if item == "matrix" {
                    return self.matrix();
                }
                self.item(item)?
            }
            other => return Err(self.error_before(format!("`{other}` is not a parameter"))),
        };
        Ok(vec![Value::Text(text)])
    }

    /// `[number]` or `[first..last]`, below a limit.
    fn range(&mut self, limit: u32) -> Result<Range, Fault> {
        self.expect('[')?;
        let first = self.integer()?;
        let last = if self.peek().kind == TokenKind::Range {
            self.next();
            self.integer()?
        } else {
            first
        };
        if last >= limit || first > last {
            return Err(self.error_before(format!("the range is out of bounds, the limit is {limit}")));
        }
        self.expect(']')?;
        Ok(first..=last)
    }

    /// `.word`.
    fn property(&mut self) -> Result<&str, Fault> {
        self.expect('.')?;
        self.word()
    }

    /// An item of state other than a matrix, as a GLSL expression (ARB_vertex_program, tables X.3.1 to X.3.7).
    fn item(&mut self, item: &str) -> Result<String, Fault> {
        Ok(match (self.target, item) {
            (_, "material") => {
                let side = self.side();
                let what = self.property()?;
                match what {
                    "ambient" | "diffuse" | "specular" | "emission" => format!("gl_{side}Material.{what}"),
                    "shininess" => format!("vec4(gl_{side}Material.shininess, 0.0, 0.0, 1.0)"),
                    _ => return Err(self.error_before("unknown material property")),
                }
            }
            (_, "light") => {
                let number = self.index(self.limits.lights)?;
                self.light(&format!("gl_LightSource[{number}]"))?
            }
            (_, "lightmodel") => {
                let side = self.side();
                match self.property()? {
                    "ambient" => "gl_LightModel.ambient".to_owned(),
                    "scenecolor" => format!("gl_{side}LightModelProduct.sceneColor"),
                    _ => return Err(self.error_before("unknown light model property")),
                }
            }
            (_, "lightprod") => {
                let number = self.index(self.limits.lights)?;
                let side = self.side();
                let what = self.property()?;
                match what {
                    "ambient" | "diffuse" | "specular" => format!("gl_{side}LightProduct[{number}].{what}"),
                    _ => return Err(self.error_before("unknown light product property")),
                }
            }
            (_, "fog") => match self.property()? {
                "color" => "gl_Fog.color".to_owned(),
                "params" => "vec4(gl_Fog.density, gl_Fog.start, gl_Fog.end, gl_Fog.scale)".to_owned(),
                _ => return Err(self.error_before("unknown fog property")),
            },
            (Target::Vertex, "texgen") => {
                let unit = self.index_or_first(self.limits.coordinates)?;
                let kind = match self.property()? {
                    "eye" => "Eye",
                    "object" => "Object",
                    _ => return Err(self.error_before("unknown texture coordinate plane")),
                };
                match self.property()? {
                    axis @ ("s" | "t" | "r" | "q") => format!("gl_{kind}Plane{}[{unit}]", axis.to_uppercase()),
                    _ => return Err(self.error_before("unknown texture coordinate")),
                }
            }
            (Target::Vertex, "clip") => {
                let number = self.index(self.limits.clip_planes)?;
                match self.property()? {
                    "plane" => format!("gl_ClipPlane[{number}]"),
                    _ => return Err(self.error_before("unknown clip plane property")),
                }
            }
            (Target::Vertex, "point") => match self.property()? {
                "size" => {
                    "vec4(gl_Point.size, gl_Point.sizeMin, gl_Point.sizeMax, gl_Point.fadeThresholdSize)".to_owned()
                }
                "attenuation" => "vec4(gl_Point.distanceConstantAttenuation, gl_Point.distanceLinearAttenuation, \
                                  gl_Point.distanceQuadraticAttenuation, 1.0)"
                    .to_owned(),
                _ => return Err(self.error_before("unknown point property")),
            },
            (Target::Fragment, "texenv") => {
                let unit = self.index_or_first(self.limits.coordinates)?;
                match self.property()? {
                    "color" => format!("gl_TextureEnvColor[{unit}]"),
                    _ => return Err(self.error_before("unknown texture environment property")),
                }
            }
            (Target::Fragment, "depth") => match self.property()? {
                "range" => "vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff, 1.0)".to_owned(),
                _ => return Err(self.error_before("unknown depth property")),
            },
            _ => return Err(self.error_before(format!("`state.{item}` is not available to this kind of program"))),
        })
    }

    /// Parses an optional `.front` or `.back`; returns the prefix of GLSL's name.
    fn side(&mut self) -> &'static str {
        if self.second_of(["front", "back"]) { "Back" } else { "Front" }
    }

    fn light(&mut self, light: &str) -> Result<String, Fault> {
        let what = self.property()?;
        Ok(match what {
            "ambient" | "diffuse" | "specular" | "position" => format!("{light}.{what}"),
            "half" => format!("{light}.halfVector"),
            "attenuation" => format!(
                "vec4({light}.constantAttenuation, {light}.linearAttenuation, {light}.quadraticAttenuation, \
                 {light}.spotExponent)"
            ),
            "spot" => match self.property()? {
                "direction" => format!("vec4({light}.spotDirection, {light}.spotCosCutoff)"),
                _ => return Err(self.error_before("unknown spot property")),
            },
            _ => return Err(self.error_before("unknown light property")),
        })
    }

    /// Parses rows of a matrix after `state.matrix`: all four if none are named.
    fn matrix(&mut self) -> Result<Vec<Value>, Fault> {
        enum Name {
            BuiltIn(&'static str, Option<u32>),
            Program(u32),
        }
        let name = match self.property()? {
            "modelview" => {
                self.index_or_first(1)?;
                Name::BuiltIn("gl_ModelViewMatrix", None)
            }
            "projection" => Name::BuiltIn("gl_ProjectionMatrix", None),
            "mvp" => Name::BuiltIn("gl_ModelViewProjectionMatrix", None),
            "texture" => Name::BuiltIn("gl_TextureMatrix", Some(self.index_or_first(self.limits.coordinates)?)),
            "program" => Name::Program(self.index(self.limits.matrices)?),
            other => {
                let message = format!("unknown matrix `{other}`");
                return Err(self.error_before(message));
            }
        };
        let mut form = Form::Plain;
        let mut rows = None;
        if self.accept('.') {
            form = match self.word()? {
                "inverse" => Form::Inverse,
                "transpose" => Form::Transpose,
                "invtrans" => Form::InverseTranspose,
                "row" => {
                    rows = Some(self.range(4)?);
                    Form::Plain
                }
                _ => return Err(self.error_before("unknown matrix modifier")),
            };
        }
        if rows.is_none() && self.accept('.') {
            if self.word()? != "row" {
                return Err(self.error_before("expected `row`"));
            }
            rows = Some(self.range(4)?);
        }
        // GLSL indexes columns: the columns of the transpose are the rows.
        let transposed = match form {
            Form::Plain => "Transpose",
            Form::Inverse => "InverseTranspose",
            Form::Transpose => "",
            Form::InverseTranspose => "Inverse",
        };
        let row = |row: u32| match &name {
            Name::BuiltIn(name, None) => format!("{name}{transposed}[{row}]"),
            Name::BuiltIn(name, Some(unit)) => format!("{name}{transposed}[{unit}][{row}]"),
            Name::Program(number) => self.writer.matrix_row(*number, form, row),
        };
        Ok(rows.unwrap_or(0..=3).map(row).map(Value::Text).collect())
    }
}
