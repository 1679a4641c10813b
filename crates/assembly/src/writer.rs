//! Builds the shader's source, and collects what it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::option::Options;
use crate::{Form, Parameter, Source, Target, Translation};

/// A line of the shader, and the instruction or declaration it comes from.
struct Line {
    statement: String,
    /// Its line number in the program, and its source.
    origin: (usize, String),
}

/// Collects statements and what they use.
pub struct Writer {
    target: Target,
    lines: Vec<Line>,
    /// The number of environment parameters that are used.
    pub environment: u32,
    /// The number of local parameters that are used.
    pub local: u32,
    /// The program matrices that are used.
    pub matrices: BTreeSet<(u32, Form)>,
    /// The GLSL sampler type of each texture unit.
    pub units: BTreeMap<u32, &'static str>,
    /// The generic attributes that are used.
    pub attributes: BTreeSet<u32>,
    /// The built-in variables that are written.
    pub written: BTreeSet<String>,
}

impl Writer {
    pub fn new(target: Target) -> Writer {
        Writer {
            target,
            lines: Vec::new(),
            environment: 0,
            local: 0,
            matrices: BTreeSet::new(),
            units: BTreeMap::new(),
            attributes: BTreeSet::new(),
            written: BTreeSet::new(),
        }
    }

    /// Appends a statement, which may be empty; returns its line.
    pub fn line(&mut self, statement: String, origin: (usize, String)) -> usize {
        self.lines.push(Line { statement, origin });
        self.lines.len() - 1
    }

    /// Replaces the statement of a line.
    pub fn replace(&mut self, line: usize, statement: String) {
        self.lines[line].statement = statement;
    }

    /// A row of a program matrix.
    pub fn matrix_row(&mut self, number: u32, form: Form, row: u32) -> String {
        self.matrices.insert((number, form));
        format!("{}[{row}]", matrix_name(number, form))
    }

    /// The complete shader.
    pub fn finish(mut self, options: Options) -> Translation {
        let parameters = self.parameters();
        let samplers: Vec<(String, u32)> = self.units.keys().map(|unit| (format!("unit{unit}"), *unit)).collect();
        let attributes: Vec<(String, u32)> =
            self.attributes.iter().map(|number| (format!("attribute{number}"), *number)).collect();
        let mut text = String::from("#version 120\n");
        for extension in self.extensions(options) {
            let _ = writeln!(text, "#extension {extension} : require");
        }
        text.push('\n');
        if options.upper_left || options.pixel_center_integer {
            let words =
                [(options.upper_left, "origin_upper_left"), (options.pixel_center_integer, "pixel_center_integer")];
            let words: Vec<&str> = words.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
            let _ = writeln!(text, "layout({}) varying vec4 gl_FragCoord;", words.join(", "));
        }
        for Parameter { name, count, .. } in &parameters {
            let _ = writeln!(text, "uniform vec4 {name}[{count}];");
        }
        for (unit, kind) in &self.units {
            let _ = writeln!(text, "uniform {kind} unit{unit};");
        }
        for (name, _) in &attributes {
            let _ = writeln!(text, "attribute vec4 {name};");
        }
        text.push_str("void main() {\n");
        if options.position_invariant {
            self.written.insert("gl_Position".to_owned());
            text.push_str("    gl_Position = ftransform(); // OPTION ARB_position_invariant;\n");
        } else if self.target == Target::Vertex && self.written.insert("gl_Position".to_owned()) {
            // Below GLSL 1.40, programs whose vertex shader writes no position do not link.
            text.push_str("    gl_Position = vec4(0.0, 0.0, 0.0, 1.0); // the program writes no position\n");
        }
        for Line { statement, origin: (line, source) } in &self.lines {
            let gap = if statement.is_empty() { "" } else { " " };
            let _ = writeln!(text, "    {statement}{gap}// {line}: {source}");
        }
        if let Some(fog) = options.fog {
            let colour = if options.draw_buffers { "gl_FragData[0]" } else { "gl_FragColor" };
            let _ =
                writeln!(text, "    float clear = clamp({}, 0.0, 1.0); // fog requested by an OPTION", fog.factor());
            // Colours are clamped before fog is applied (GL 4.6 compatibility, 16.4).
            let _ = writeln!(text, "    {colour} = clamp({colour}, 0.0, 1.0);");
            let _ = writeln!(text, "    {colour}.rgb = mix(gl_Fog.color.rgb, {colour}.rgb, clear);");
        }
        text.push_str("}\n");
        Translation { text, samplers, parameters, attributes, written: self.written }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let [environment, local] = self.target.uniforms();
        let plain = [(environment, Source::Environment, self.environment), (local, Source::Local, self.local)];
        let mut list: Vec<Parameter> = plain
            .into_iter()
            .filter(|(_, _, count)| *count > 0)
            .map(|(name, source, count)| Parameter { name: name.to_owned(), source, count })
            .collect();
        list.extend(self.matrices.iter().map(|&(number, form)| Parameter {
            name: matrix_name(number, form),
            source: Source::Matrix { number, form },
            count: 4,
        }));
        list
    }

    fn extensions(&self, options: Options) -> Vec<&'static str> {
        let mut list = Vec::new();
        if self.units.values().any(|kind| kind.contains("Rect")) {
            list.push("GL_ARB_texture_rectangle");
        }
        if self.units.values().any(|kind| kind.contains("Array")) {
            list.push("GL_EXT_texture_array");
        }
        if options.upper_left || options.pixel_center_integer {
            list.push("GL_ARB_fragment_coord_conventions");
        }
        list
    }
}

fn matrix_name(number: u32, form: Form) -> String {
    let form = match form {
        Form::Plain => "",
        Form::Inverse => "Inverse",
        Form::Transpose => "Transpose",
        Form::InverseTranspose => "InverseTranspose",
    };
    format!("matrix{number}{form}")
}
