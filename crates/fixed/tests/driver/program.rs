//! Random assembly programs.

use std::fmt::Write as _;

use api::{constant as c, id};
use testing::random::Random;

use super::stage::{Arg, Stage};
use crate::args;

/// The number of temporary registers.
const REGISTERS: usize = 4;

/// The number of environment and local parameters that are set.
const PARAMETERS: u32 = 6;

/// A program under construction.
struct Writer<'r> {
    random: &'r mut Random,
    fragment: bool,
    text: String,
}

/// Gives the driver and the model a random vertex program with its parameters and program matrices, and enables it.
pub fn vertex(stage: &mut Stage, random: &mut Random) {
    parameters(stage, random, c::GL_VERTEX_PROGRAM_ARB);
    for matrix in 0..2 {
        stage.both(id::glMatrixMode, args![c::GL_MATRIX0_ARB + matrix]);
        stage.both(id::glLoadMatrixf, args![random.floats(16, -1.0, 1.0)]);
    }
    stage.both(id::glMatrixMode, args![c::GL_MODELVIEW]);
    // Drawing would change materials, so that the second draw would differ from the first.
    stage.switch(c::GL_COLOR_MATERIAL, false);
    let mut writer = Writer::new(random, false);
    if writer.random.one_in(2) {
        writer.text.insert_str("!!ARBvp1.0\n".len(), "OPTION ARB_position_invariant;\n");
    } else {
        for (row, component) in ["x", "y", "z", "w"].into_iter().enumerate() {
            let _ = writeln!(writer.text, "DP4 result.position.{component}, mvp[{row}], vertex.position;");
        }
    }
    writer.body();
    let _ = writeln!(writer.text, "ARL A.x, R0.x;\nMAX R1.x, R0.x, 0.0; MIN R1.x, R1.x, 3.0; ARL A.x, R1.x;");
    let _ = writeln!(writer.text, "ADD R2, R2, mixed[A.x + 1];\nMUL R3, R3, some[A.x];");
    writer.result("result.color", "R0");
    writer.result("result.color.secondary", "R1");
    (0..4).for_each(|unit| writer.result(&format!("result.texcoord[{unit}]"), &format!("R{}", unit % REGISTERS)));
    writer.result("result.fogcoord.x", "R2");
    writer.text.push_str("END\n");
    stage.program(c::GL_VERTEX_PROGRAM_ARB, &writer.text);
    stage.switch(c::GL_VERTEX_PROGRAM_ARB, true);
}

/// The same with a program that writes only positions; other outputs have current values.
pub fn bare(stage: &mut Stage, random: &mut Random) {
    let components = |random: &mut Random| random.floats(4, 0.0, 1.0).into_iter().map(Arg::Float).collect::<Vec<Arg>>();
    stage.both(id::glColor4f, &components(random));
    stage.both(id::glSecondaryColor3f, &components(random)[..3]);
    for unit in 0..4 {
        let mut args = vec![Arg::from(c::GL_TEXTURE0 + unit)];
        args.extend(components(random));
        stage.both(id::glMultiTexCoord4f, &args);
    }
    stage.program(c::GL_VERTEX_PROGRAM_ARB, "!!ARBvp1.0\nOPTION ARB_position_invariant;\nEND\n");
    stage.switch(c::GL_VERTEX_PROGRAM_ARB, true);
}

/// The same with a fragment program, which samples textures if there are any.
pub fn fragment(stage: &mut Stage, random: &mut Random) {
    parameters(stage, random, c::GL_FRAGMENT_PROGRAM_ARB);
    let mut writer = Writer::new(random, true);
    if let option @ ("exp" | "exp2" | "linear") = writer.random.pick(&["exp", "exp2", "linear", "", ""]) {
        writer.text.insert_str("!!ARBfp1.0\n".len(), &format!("OPTION ARB_fog_{option};\n"));
    }
    writer.body();
    if writer.random.one_in(2) {
        let _ = writeln!(writer.text, "ADD R1, R0, 0.7;\nKIL R1;");
    }
    writer.result("result.color", "R0");
    writer.text.push_str("END\n");
    stage.program(c::GL_FRAGMENT_PROGRAM_ARB, &writer.text);
    stage.switch(c::GL_FRAGMENT_PROGRAM_ARB, true);
}

fn parameters(stage: &mut Stage, random: &mut Random, target: u32) {
    for index in 0..PARAMETERS {
        for command in [id::glProgramEnvParameter4fvARB, id::glProgramLocalParameter4fvARB] {
            stage.both(command, &[Arg::from(target), Arg::from(index), Arg::Floats(random.floats(4, -1.0, 1.0))]);
        }
    }
}

impl Writer<'_> {
    fn new(random: &mut Random, fragment: bool) -> Writer<'_> {
        let mut text = String::from(if fragment { "!!ARBfp1.0\n" } else { "!!ARBvp1.0\n" });
        text.push_str(
            "TEMP R0, R1, R2, R3;\nPARAM mvp[4] = { state.matrix.mvp };\nPARAM some[] = { program.env[1..5] };\n",
        );
        text.push_str(
            "PARAM mixed[] = { program.local[2], { 0.5, -0.25 }, state.matrix.modelview.row[1..2], 0.75 };\n",
        );
        if !fragment {
            text.push_str("ADDRESS A;\n");
        }
        for register in 0..REGISTERS {
            let _ = writeln!(text, "MOV R{register}, mixed[{register}];");
        }
        Writer { random, fragment, text }
    }

    fn body(&mut self) {
        for _ in 0..self.random.index(10) + 6 {
            self.instruction();
        }
        // Large values are hard to compare.
        for register in 0..REGISTERS {
            let _ = writeln!(self.text, "MAX R{register}, R{register}, -4.0;\nMIN R{register}, R{register}, 4.0;");
        }
    }

    /// Brings a register into the visible range.
    fn result(&mut self, result: &str, register: &str) {
        let _ = writeln!(self.text, "MAD {result}, {register}, 0.2, 0.5;");
    }

    fn instruction(&mut self) {
        let vectors = ["ABS", "FLR", "FRC", "MOV", "LIT"];
        let pairs = ["ADD", "SUB", "MUL", "MIN", "MAX", "SGE", "SLT", "DP3", "DP4", "DPH", "DST", "XPD"];
        let common = ["RCP", "RSQ", "EX2", "LG2", "POW", "MAD", "SWZ"];
        let own = if self.fragment {
            &["CMP", "LRP", "COS", "SIN", "SCS", "TEX", "TXP", "TXB"][..]
        } else {
            &["EXP", "LOG"][..]
        };
        let all: Vec<&str> = vectors.iter().chain(&pairs).chain(&common).chain(own).copied().collect();
        let name = self.random.pick(&all);
        let saturate = if self.fragment && self.random.one_in(5) { "_SAT" } else { "" };
        let register = self.random.index(REGISTERS);
        let mask = self.random.pick(&["", "", "", ".x", ".y", ".xy", ".yzw", ".xz", ".w", ".xyz"]);
        let _ = write!(self.text, "{name}{saturate} R{register}{mask}, ");
        let operands = match name {
            "POW" => format!("{}, {}", self.positive(), self.scalar()),
            "RCP" | "RSQ" | "LG2" | "LOG" => self.positive(),
            "EX2" | "EXP" | "COS" | "SIN" | "SCS" => self.scalar(),
            "SWZ" => format!("{}, -x, 1, {}, -0", self.value(), self.random.pick(&["w", "y", "-z"])),
            "TEX" | "TXP" | "TXB" => {
                let (unit, target) = self.random.pick(&[(0, "2D"), (1, "2D"), (2, "2D"), (3, "2D")]);
                format!("fragment.texcoord[{unit}], texture[{unit}], {target}")
            }
            "MAD" | "CMP" | "LRP" => format!("{}, {}, {}", self.vector(), self.vector(), self.vector()),
            _ if vectors.contains(&name) => self.vector(),
            _ => format!("{}, {}", self.vector(), self.vector()),
        };
        let _ = writeln!(self.text, "{operands};");
    }

    fn vector(&mut self) -> String {
        let sign = self.random.pick(&["", "", "-"]);
        let swizzle = self.random.pick(&["", "", ".x", ".w", ".yzxw", ".wzyx", ".xxyy"]);
        format!("{sign}{}{swizzle}", self.value())
    }

    fn scalar(&mut self) -> String {
        let sign = self.random.pick(&["", "-"]);
        format!("{sign}{}.{}", self.value(), self.random.pick(&["x", "y", "z", "w"]))
    }

    /// A component in a range where roots and logarithms are continuous.
    fn positive(&mut self) -> String {
        format!("{{ 0.3, 1.5, 2.25, 0.8 }}.{}", self.random.pick(&["x", "y", "z", "w"]))
    }

    fn value(&mut self) -> String {
        let register = format!("R{}", self.random.index(REGISTERS));
        let own = if self.fragment {
            self.random.pick(&[
                "fragment.color",
                "fragment.color.secondary",
                "fragment.texcoord[1]",
                "fragment.fogcoord",
                "state.texenv[1].color",
                "state.depth.range",
            ])
        } else {
            self.random.pick(&[
                "vertex.color",
                "vertex.normal",
                "vertex.texcoord[2]",
                "vertex.position",
                "vertex.fogcoord",
                "state.matrix.program[1].row[2]",
                "state.matrix.program[0].inverse.row[0]",
                "state.matrix.modelview.invtrans.row[1]",
                "state.matrix.projection.transpose.row[3]",
                "state.texgen[0].object.s",
                "state.clip[0].plane",
                "state.point.size",
            ])
        };
        let shared = self.random.pick(&[
            "program.env[3]",
            "program.local[5]",
            "mixed[1]",
            "some[2]",
            "mvp[2]",
            "state.light[0].diffuse",
            "state.light[1].spot.direction",
            "state.light[0].attenuation",
            "state.light[0].half",
            "state.material.ambient",
            "state.material.shininess",
            "state.lightmodel.scenecolor",
            "state.lightprod[0].specular",
            "state.fog.color",
            "state.fog.params",
            "{ 0.1, -0.7, 0.4, 1.0 }",
            "0.6",
        ]);
        match self.random.index(5) {
            0 => own.to_owned(),
            1 => shared.to_owned(),
            _ => register,
        }
    }
}
