//! Generated shaders: valid GLSL from a grammar, one for each number.
//!
//! Operands are kept where functions are defined and results do not explode, so that a difference between two machines
//! is a bug and not chance: divisors stay away from zero, roots and logarithms get positive numbers, shifts and indices
//! are masked, and every assignment brings its value back into a small range.

mod expression;

use std::fmt::Write as _;

use driver::Api;
use testing::random::SplitMix;

use super::subject::Subject;

/// A type of the grammar: component type and count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueType {
    Float(u32),
    Int(u32),
    Uint(u32),
    Bool,
    /// A square matrix.
    Matrix(u32),
}

impl ValueType {
    fn name(self) -> String {
        match self {
            ValueType::Float(1) => "float".to_owned(),
            ValueType::Float(n) => format!("vec{n}"),
            ValueType::Int(1) => "int".to_owned(),
            ValueType::Int(n) => format!("ivec{n}"),
            ValueType::Uint(1) => "uint".to_owned(),
            ValueType::Uint(n) => format!("uvec{n}"),
            ValueType::Bool => "bool".to_owned(),
            ValueType::Matrix(n) => format!("mat{n}"),
        }
    }
}

/// Returns the shader of a number.
pub fn subject(number: u64) -> Subject {
    let name = format!("generated/{number:04}");
    Subject { name, group: "generated".to_owned(), api: Api::DesktopCore, strings: vec![text(number)] }
}

fn text(number: u64) -> String {
    let random = SplitMix::new(number.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed);
    let version = if number % 4 == 3 { 400 } else { 330 };
    let mut writer = Writer { random, version, loose: number % 25 == 24, indent: 1, ..Writer::default() };
    writer.shader()
}

/// A variable in scope.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    kind: ValueType,
    writable: bool,
}

/// A function: its name, its result, and its parameters with whether each is `inout`.
type Function = (String, ValueType, Vec<(ValueType, bool)>);

struct Writer {
    random: SplitMix,
    version: u32,
    /// Whether to use functions that drivers compute to only a few digits.
    loose: bool,
    body: String,
    indent: usize,
    scope: Vec<Variable>,
    /// Functions written so far.
    functions: Vec<Function>,
    /// Arrays in scope: name and length, a power of two.
    arrays: Vec<(String, u32)>,
    count: u32,
    /// Depth of branches and loops: no derivatives there.
    diverged: u32,
    in_loop: u32,
    /// Number of statements left.
    budget: u32,
}

impl Default for Writer {
    fn default() -> Writer {
        Writer {
            random: SplitMix::new(0),
            version: 330,
            loose: false,
            body: String::new(),
            indent: 0,
            scope: Vec::new(),
            functions: Vec::new(),
            arrays: Vec::new(),
            count: 0,
            diverged: 0,
            in_loop: 0,
            budget: 0,
        }
    }
}

impl Writer {
    fn shader(&mut self) -> String {
        let mut head = format!("#version {}\n", self.version);
        let inputs = [
            ("in", ValueType::Float(4), "a"),
            ("in", ValueType::Float(3), "b"),
            ("in", ValueType::Float(2), "c"),
            ("in", ValueType::Float(1), "d"),
            ("flat in", ValueType::Int(2), "e"),
            ("flat in", ValueType::Uint(1), "f"),
            ("uniform", ValueType::Float(3), "u"),
            ("uniform", ValueType::Int(1), "n"),
            ("uniform", ValueType::Matrix(3), "m"),
            ("uniform", ValueType::Float(1), "s"),
        ];
        for (storage, kind, name) in inputs {
            let _ = writeln!(head, "{storage} {} {name};", kind.name());
            self.scope.push(Variable { name: name.to_owned(), kind, writable: false });
        }
        head += "out vec4 colour;\n";
        let globals = self.scope.len();
        for _ in 0..self.random.below(4) {
            head += &self.function();
            self.scope.truncate(globals);
            self.arrays.clear();
        }
        self.body.clear();
        self.budget = 10 + self.random.below(16);
        while self.budget > 0 {
            self.statement();
        }
        let terms: Vec<String> = (0..3).map(|_| self.bounded(ValueType::Float(4))).collect();
        let newest = self.newest();
        format!("{head}\nvoid main()\n{{\n{}    colour = {} + {newest};\n}}\n", self.body, terms.join(" + 0.5 * "))
    }

    /// Returns the variables written last, so that what was computed is visible.
    fn newest(&self) -> String {
        let float = |v: &&Variable| matches!(v.kind, ValueType::Float(_)) && v.writable;
        let mut terms: Vec<String> = self.scope.iter().rev().filter(float).take(4).map(widened).collect();
        let integer = |v: &&Variable| matches!(v.kind, ValueType::Int(1) | ValueType::Uint(1)) && v.writable;
        let mask = |v: &Variable| if v.kind == ValueType::Uint(1) { "255u" } else { "255" };
        let low_bits = |v: &Variable| format!("vec4(float({} & {})) / 64.0", v.name, mask(v));
        terms.extend(self.scope.iter().rev().find(integer).map(low_bits));
        terms.push("vec4(a)".to_owned());
        terms.join(" + ")
    }

    fn function(&mut self) -> String {
        let name = self.fresh("f");
        let result = ValueType::Float(1 + self.random.below(4));
        let kinds = [ValueType::Float(1), ValueType::Float(2), ValueType::Float(3), ValueType::Int(1)];
        let mut parameters = Vec::new();
        let mut texts = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let kind = kinds[self.random.below(4) as usize];
            let out = self.random.below(4) == 0 && matches!(kind, ValueType::Float(_));
            let parameter = self.fresh("p");
            texts.push(format!("{} {} {parameter}", if out { "inout" } else { "in" }, kind.name()));
            self.scope.push(Variable { name: parameter, kind, writable: true });
            parameters.push((kind, out));
        }
        self.body.clear();
        self.diverged += 1;
        self.budget = 1 + self.random.below(5);
        while self.budget > 0 {
            self.statement();
        }
        if self.random.below(3) == 0 {
            let (condition, early) = (self.condition(), self.bounded(result));
            let _ = writeln!(self.body, "    if ({condition}) return {early};");
        }
        let value = self.bounded(result);
        self.diverged -= 1;
        let text =
            format!("\n{} {name}({})\n{{\n{}    return {value};\n}}\n", result.name(), texts.join(", "), self.body);
        self.functions.push((name, result, parameters));
        text
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.count += 1;
        format!("{prefix}{}", self.count)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "{:1$}{text}", "", self.indent * 4);
    }

    fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        match self.random.below(20) {
            0..=5 => self.declare(),
            6..=8 => self.assign(),
            9 | 10 => self.branch(),
            11 | 12 => self.counted_loop(),
            13 => self.array(),
            14 => self.store(),
            15 => self.call_with_out(),
            16 => self.switch(),
            17 if self.diverged == 0 => self.derivative(),
            18 if self.in_loop > 0 => {
                let condition = self.condition();
                let way = if self.random.below(2) == 0 { "break" } else { "continue" };
                self.line(&format!("if ({condition}) {way};"));
            }
            19 if self.diverged == 0 && self.random.below(4) == 0 => {
                self.line("if (d > 0.875 && c.x > 0.5) discard;");
            }
            _ => self.assign(),
        }
    }

    fn declare(&mut self) {
        let kind = match self.random.below(16) {
            0..=8 => ValueType::Float(1 + self.random.below(4)),
            9..=11 => ValueType::Int(1 + self.random.below(4)),
            12 | 13 => ValueType::Uint(1 + self.random.below(3)),
            14 => ValueType::Bool,
            _ => ValueType::Matrix(2 + self.random.below(3)),
        };
        let value = self.bounded(kind);
        let name = self.fresh("v");
        self.line(&format!("{} {name} = {value};", kind.name()));
        self.scope.push(Variable { name, kind, writable: true });
    }

    fn assign(&mut self) {
        let Some(variable) = self.pick(|v| v.writable) else { return self.declare() };
        let Variable { name, kind, .. } = variable;
        match kind {
            ValueType::Float(n) if n > 1 && self.random.below(2) == 0 => {
                let swizzle = ["x", "yx", "y", "xy"][self.random.below(4) as usize];
                let value = self.bounded(ValueType::Float(swizzle.len() as u32));
                self.line(&format!("{name}.{swizzle} = {value};"));
            }
            ValueType::Float(_) if self.random.below(2) == 0 => {
                let value = self.bounded(kind);
                let operator = ["+=", "-=", "*="][self.random.below(3) as usize];
                self.line(&format!("{name} {operator} {value};"));
                self.line(&format!("{name} = clamp({name}, -8.0, 8.0);"));
            }
            ValueType::Int(1) | ValueType::Uint(1) if self.random.below(2) == 0 => {
                let operator = ["+=", "^=", "&=", "|="][self.random.below(4) as usize];
                let value = self.bounded(kind);
                self.line(&format!("{name} {operator} {value};"));
            }
            _ => {
                let value = self.bounded(kind);
                self.line(&format!("{name} = {value};"));
            }
        }
    }

    fn block(&mut self, statements: u32) {
        let (scope, arrays) = (self.scope.len(), self.arrays.len());
        self.indent += 1;
        self.diverged += 1;
        for _ in 0..statements {
            if self.indent < 5 {
                self.statement();
            } else {
                self.assign();
            }
        }
        self.diverged -= 1;
        self.indent -= 1;
        self.scope.truncate(scope);
        self.arrays.truncate(arrays);
    }

    fn branch(&mut self) {
        let condition = self.condition();
        self.line(&format!("if ({condition}) {{"));
        let statements = 1 + self.random.below(2);
        self.block(statements);
        if self.random.below(2) == 0 {
            self.line("} else {");
            self.block(1);
        }
        self.line("}");
    }

    fn counted_loop(&mut self) {
        if self.in_loop >= 2 {
            return self.assign();
        }
        let name = self.fresh("i");
        let bound = match self.random.below(3) {
            0 => "(n & 3) + 1".to_owned(),
            1 => "(e.x & 7)".to_owned(),
            _ => (2 + self.random.below(6)).to_string(),
        };
        self.line(&format!("for (int {name} = 0; {name} < {bound}; {name}++) {{"));
        self.scope.push(Variable { name, kind: ValueType::Int(1), writable: false });
        self.in_loop += 1;
        let statements = 1 + self.random.below(3);
        self.block(statements);
        self.in_loop -= 1;
        self.scope.pop();
        self.line("}");
    }

    fn array(&mut self) {
        let name = self.fresh("t");
        let length = 2u32 << self.random.below(3);
        self.line(&format!("float {name}[{length}];"));
        let index = self.fresh("i");
        self.line(&format!("for (int {index} = 0; {index} < {length}; {index}++)"));
        self.scope.push(Variable { name: index.clone(), kind: ValueType::Int(1), writable: false });
        let value = self.bounded(ValueType::Float(1));
        self.scope.pop();
        self.line(&format!("    {name}[{index}] = {value};"));
        self.arrays.push((name, length));
    }

    fn store(&mut self) {
        let Some((name, length)) = self.arrays.last().cloned() else { return self.array() };
        let (index, value) = (self.bounded(ValueType::Int(1)), self.bounded(ValueType::Float(1)));
        self.line(&format!("{name}[({index}) & {}] = {value};", length - 1));
    }

    fn call_with_out(&mut self) {
        let with_out = |(_, _, parameters): &Function| parameters.iter().any(|p| p.1);
        let Some((name, result, parameters)) = self.functions.iter().find(|f| with_out(f)).cloned() else {
            return self.assign();
        };
        let mut arguments = Vec::new();
        for (kind, out) in parameters {
            if !out {
                arguments.push(self.bounded(kind));
                continue;
            }
            // A new variable each: one passed twice would be written in unspecified order.
            let value = self.bounded(kind);
            let argument = self.fresh("v");
            self.line(&format!("{} {argument} = {value};", kind.name()));
            self.scope.push(Variable { name: argument.clone(), kind, writable: true });
            arguments.push(argument);
        }
        let to = self.fresh("v");
        self.line(&format!("{} {to} = {name}({});", result.name(), arguments.join(", ")));
        self.line(&format!("{to} = clamp({to}, -8.0, 8.0);"));
        self.scope.push(Variable { name: to, kind: result, writable: true });
    }

    fn switch(&mut self) {
        if self.in_loop > 0 || self.indent > 2 {
            return self.assign();
        }
        let selector = self.bounded(ValueType::Int(1));
        self.line(&format!("switch (({selector}) & 3) {{"));
        for label in 0..3 {
            self.line(&if label == 2 { "default:".to_owned() } else { format!("case {label}:") });
            self.indent += 1;
            self.diverged += 1;
            self.assign_existing();
            if self.random.below(3) > 0 {
                self.line("break;");
            }
            self.diverged -= 1;
            self.indent -= 1;
        }
        self.line("}");
    }

    /// Writes an assignment that declares nothing: a declaration in one case would be in scope in the next.
    fn assign_existing(&mut self) {
        match self.pick(|v| v.writable) {
            Some(variable) => {
                let value = self.bounded(variable.kind);
                self.line(&format!("{} = {value};", variable.name));
            }
            None => self.line(";"),
        }
    }

    fn derivative(&mut self) {
        let kind = ValueType::Float(1 + self.random.below(4));
        let function = ["dFdx", "dFdy", "fwidth"][self.random.below(3) as usize];
        let value = self.bounded(kind);
        let name = self.fresh("v");
        self.line(&format!("{} {name} = {function}({value}) * 4.0;", kind.name()));
        self.scope.push(Variable { name, kind, writable: true });
    }

    fn pick(&mut self, wanted: impl Fn(&Variable) -> bool) -> Option<Variable> {
        let found: Vec<&Variable> = self.scope.iter().filter(|v| wanted(v)).collect();
        if found.is_empty() {
            return None;
        }
        // Prefers new variables, so that chains of computations go deeper.
        let at = self.random.below(found.len() as u32).max(self.random.below(found.len() as u32));
        Some(found[at as usize].clone())
    }
}

/// Returns a float variable as a `vec4`.
fn widened(variable: &Variable) -> String {
    let name = &variable.name;
    match variable.kind {
        ValueType::Float(2) => format!("{name}.xyxy"),
        ValueType::Float(3) => format!("{name}.xyzx"),
        ValueType::Float(4) => name.clone(),
        _ => format!("vec4({name})"),
    }
}

#[cfg(test)]
mod tests {
    use shader::version::{Options, Stage};

    #[test]
    fn generated_shaders_are_valid() {
        for number in 0..300 {
            let text = super::text(number);
            let shader = shader::analyze(&[&text], &Options::new(Stage::Fragment));
            assert!(
                !shader.has_errors(),
                "{number}: {:?}\n{text}",
                shader.diagnostics.iter().map(|d| &d.message).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn a_number_always_gives_the_same_shader() {
        assert_eq!(super::text(7), super::text(7));
        assert_ne!(super::text(7), super::text(8));
    }
}
