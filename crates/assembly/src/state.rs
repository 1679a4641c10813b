//! Parameters: numbers, what programs are given, and GL's state.

use crate::operand::Value;
use crate::parser::Parser;
use crate::token::Kind;
use crate::{Fault, Form, Target};

/// Which of several things that are numbered.
type Range = std::ops::RangeInclusive<u32>;

impl Parser<'_> {
    /// A number, or up to four in braces; those that are left out are 0, 0 and 1.
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
            Kind::Integer(number) => Ok(sign * number as f32),
            Kind::Float(number) => Ok(sign * number),
            _ => Err(self.wrong_before("a number is wanted here")),
        }
    }

    /// One parameter.
    pub fn single(&mut self) -> Result<Value, Fault> {
        let start = self.peek();
        let mut values = self.several()?;
        match values.pop() {
            Some(value) if values.is_empty() => Ok(value),
            _ => Err(self.wrong_at(start, "this is not one parameter but several")),
        }
    }

    /// One or several parameters that follow each other.
    pub fn several(&mut self) -> Result<Vec<Value>, Fault> {
        let text = match self.word()? {
            "program" => {
                self.expect('.')?;
                let (environment, limit) = match self.word()? {
                    "env" => (true, self.limits.environment),
                    "local" => (false, self.limits.local),
                    other => return Err(self.wrong_before(format!("programs have no `{other}`"))),
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
            other => return Err(self.wrong_before(format!("`{other}` is no parameter"))),
        };
        Ok(vec![Value::Text(text)])
    }

    /// `[number]` or `[first..last]`, below a limit.
    fn range(&mut self, limit: u32) -> Result<Range, Fault> {
        self.expect('[')?;
        let first = self.integer()?;
        let last = if self.peek().kind == Kind::Range {
            self.next();
            self.integer()?
        } else {
            first
        };
        if last >= limit || first > last {
            return Err(self.wrong_before(format!("there is no such range; there are {limit} in all")));
        }
        self.expect(']')?;
        Ok(first..=last)
    }

    /// `.word`.
    fn property(&mut self) -> Result<&str, Fault> {
        self.expect('.')?;
        self.word()
    }

    /// An item of state that is no matrix, as an expression of GLSL (ARB_vertex_program, tables X.3.1 to X.3.7).
    fn item(&mut self, item: &str) -> Result<String, Fault> {
        Ok(match (self.target, item) {
            (_, "material") => {
                let side = self.side();
                let what = self.property()?;
                match what {
                    "ambient" | "diffuse" | "specular" | "emission" => format!("gl_{side}Material.{what}"),
                    "shininess" => format!("vec4(gl_{side}Material.shininess, 0.0, 0.0, 1.0)"),
                    _ => return Err(self.wrong_before("materials have no such value")),
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
                    _ => return Err(self.wrong_before("the light model has no such value")),
                }
            }
            (_, "lightprod") => {
                let number = self.index(self.limits.lights)?;
                let side = self.side();
                let what = self.property()?;
                match what {
                    "ambient" | "diffuse" | "specular" => format!("gl_{side}LightProduct[{number}].{what}"),
                    _ => return Err(self.wrong_before("there is no such product of a light")),
                }
            }
            (_, "fog") => match self.property()? {
                "color" => "gl_Fog.color".to_owned(),
                "params" => "vec4(gl_Fog.density, gl_Fog.start, gl_Fog.end, gl_Fog.scale)".to_owned(),
                _ => return Err(self.wrong_before("fog has no such value")),
            },
            (Target::Vertex, "texgen") => {
                let unit = self.index_or_first(self.limits.coordinates)?;
                let kind = match self.property()? {
                    "eye" => "Eye",
                    "object" => "Object",
                    _ => return Err(self.wrong_before("there is no such plane")),
                };
                match self.property()? {
                    axis @ ("s" | "t" | "r" | "q") => format!("gl_{kind}Plane{}[{unit}]", axis.to_uppercase()),
                    _ => return Err(self.wrong_before("there is no such coordinate")),
                }
            }
            (Target::Vertex, "clip") => {
                let number = self.index(self.limits.clip_planes)?;
                match self.property()? {
                    "plane" => format!("gl_ClipPlane[{number}]"),
                    _ => return Err(self.wrong_before("clip planes have no such value")),
                }
            }
            (Target::Vertex, "point") => match self.property()? {
                "size" => {
                    "vec4(gl_Point.size, gl_Point.sizeMin, gl_Point.sizeMax, gl_Point.fadeThresholdSize)".to_owned()
                }
                "attenuation" => "vec4(gl_Point.distanceConstantAttenuation, gl_Point.distanceLinearAttenuation, \
                                  gl_Point.distanceQuadraticAttenuation, 1.0)"
                    .to_owned(),
                _ => return Err(self.wrong_before("points have no such value")),
            },
            (Target::Fragment, "texenv") => {
                let unit = self.index_or_first(self.limits.coordinates)?;
                match self.property()? {
                    "color" => format!("gl_TextureEnvColor[{unit}]"),
                    _ => return Err(self.wrong_before("texture environments have no such value")),
                }
            }
            (Target::Fragment, "depth") => match self.property()? {
                "range" => "vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff, 1.0)".to_owned(),
                _ => return Err(self.wrong_before("depths have no such value")),
            },
            _ => return Err(self.wrong_before(format!("there is no `state.{item}` for such a program"))),
        })
    }

    /// `.front` or `.back`, which may be left out: the side as GLSL names it.
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
                _ => return Err(self.wrong_before("spots have no such value")),
            },
            _ => return Err(self.wrong_before("lights have no such value")),
        })
    }

    /// Rows of a matrix, behind `state.matrix`: all four where none are named.
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
                let message = format!("there is no matrix `{other}`");
                return Err(self.wrong_before(message));
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
                _ => return Err(self.wrong_before("nothing of that name is made of matrices")),
            };
        }
        if rows.is_none() && self.accept('.') {
            if self.word()? != "row" {
                return Err(self.wrong_before("`row` is wanted here"));
            }
            rows = Some(self.range(4)?);
        }
        // GLSL gives columns: those of the transpose are the rows.
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
