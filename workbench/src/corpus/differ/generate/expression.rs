//! Expressions of the grammar.

use super::{Function, ValueType, Variable, Writer};

impl Writer {
    /// Returns an expression whose value stays small: floats within about -8 to 8.
    pub(super) fn bounded(&mut self, kind: ValueType) -> String {
        let depth = 1 + self.random.below(3);
        let value = self.expression(kind, depth);
        match kind {
            ValueType::Float(_) => match self.random.below(4) {
                0 => format!("sin({value})"),
                1 => format!("({value}) / (1.0 + abs({}))", self.leaf(ValueType::Float(1))),
                _ => format!("clamp({value}, -8.0, 8.0)"),
            },
            ValueType::Int(_) | ValueType::Uint(_) | ValueType::Bool | ValueType::Matrix(_) => value,
        }
    }

    pub(super) fn condition(&mut self) -> String {
        self.expression(ValueType::Bool, 2)
    }

    fn expression(&mut self, kind: ValueType, depth: u32) -> String {
        if depth == 0 {
            return self.leaf(kind);
        }
        match kind {
            ValueType::Float(n) => self.float(n, depth - 1),
            ValueType::Int(n) => self.integer(n, true, depth - 1),
            ValueType::Uint(n) => self.integer(n, false, depth - 1),
            ValueType::Bool => self.boolean(depth - 1),
            ValueType::Matrix(n) => self.matrix(n, depth - 1),
        }
    }

    fn float(&mut self, n: u32, depth: u32) -> String {
        let kind = ValueType::Float(n);
        let mut e = |k: ValueType| self.expression(k, depth);
        let (a, b) = (e(kind), e(kind));
        match self.random.below(34) {
            0..=3 => format!("({a} + {b})"),
            4 | 5 => format!("({a} - {b})"),
            6..=9 => format!("({a} * {b})"),
            10 => format!("({a} / (abs({b}) + 0.5))"),
            11 => format!("mix({a}, {b}, {})", self.leaf(kind)),
            12 => format!("smoothstep({}, {}, {a})", spread(n, "-1.0"), spread(n, "2.0")),
            13 => format!("sqrt(abs({a}) + 0.0625)"),
            14 => format!("inversesqrt(abs({a}) + 0.25)"),
            15 => {
                let functions =
                    if self.loose { ["sin", "cos", "atan", "tanh"] } else { ["sin", "cos", "floor", "fract"] };
                let function = functions[self.random.below(4) as usize];
                format!("{function}({a})")
            }
            16 => format!("exp2(clamp({a}, -3.0, 3.0))"),
            17 => format!("log2(abs({a}) + 0.5)"),
            18 => format!("pow(abs({a}) + 0.25, clamp({b}, -2.0, 2.0))"),
            19 => format!("min({a}, {b})"),
            20 => format!("max({a}, {b})"),
            21 => format!("abs({a})"),
            22 => format!("-({a})"),
            23 if self.loose => format!("asin(0.875 * sin({a} + d))"),
            24 => format!("exp(clamp({a}, -2.0, 2.0))"),
            25 => format!("log(abs({a}) + 0.5)"),
            26 => {
                let condition = self.expression(ValueType::Bool, depth.min(1));
                format!("({condition} ? {a} : {b})")
            }
            27 => {
                let integer = self.expression(ValueType::Int(n), depth.min(1));
                let mask = if n == 1 { "127" } else { &format!("ivec{n}(127)") };
                format!("{}(({integer}) & {mask}) / 64.0", kind.name())
            }
            28 if n > 1 => self.geometric(n, &a, &b),
            28 => {
                let m = 2 + self.random.below(3);
                let (x, y) = (self.leaf(ValueType::Float(m)), self.leaf(ValueType::Float(m)));
                ["dot", "distance"][self.random.below(2) as usize].to_owned() + &format!("({x}, {y})")
            }
            29 if (2..=4).contains(&n) => {
                let matrix = self.expression(ValueType::Matrix(n), depth.min(1));
                if self.random.below(2) == 0 { format!("({matrix} * {a})") } else { format!("({a} * {matrix})") }
            }
            29 => match self.arrays.last().cloned() {
                Some((array, length)) => {
                    let index = self.expression(ValueType::Int(1), depth.min(1));
                    format!("{array}[({index}) & {}]", length - 1)
                }
                None => format!("floor({a} * 4.0)"),
            },
            30 => self.call(kind).unwrap_or_else(|| format!("({a} + {b} * 0.5)")),
            31 if self.version >= 400 => format!("fma({a}, {b}, {})", self.leaf(kind)),
            32 => format!("step({b}, {a})"),
            33 => {
                let fewer = ValueType::Float(1 + self.random.below(n.max(1)));
                self.constructed(n, fewer)
            }
            _ => format!("(0.5 * {a} - {b})"),
        }
    }

    fn geometric(&mut self, n: u32, a: &str, b: &str) -> String {
        match self.random.below(5) {
            // Far enough from the zero vector, which has no direction.
            0 => format!("normalize(abs({a}) + 0.25)"),
            1 => format!("reflect({a}, normalize(abs({b}) + 0.25))"),
            2 if n == 3 => format!("cross({a}, {b})"),
            3 => format!("faceforward({a}, {b}, {})", self.leaf(ValueType::Float(n))),
            _ => format!("({a} * length({b}))"),
        }
    }

    /// Returns a vector constructed from parts, or a swizzle.
    fn constructed(&mut self, n: u32, part: ValueType) -> String {
        let ValueType::Float(m) = part else { return self.leaf(ValueType::Float(n)) };
        if m >= n || n == 1 {
            let wide = 2 + self.random.below(3);
            let vector = self.leaf(ValueType::Float(wide));
            let letters: String = (0..n).map(|_| ['x', 'y', 'z', 'w'][self.random.below(wide) as usize]).collect();
            return format!("{vector}.{letters}");
        }
        let first = self.leaf(part);
        let rest: Vec<String> = (m..n).map(|_| self.leaf(ValueType::Float(1))).collect();
        format!("vec{n}({first}, {})", rest.join(", "))
    }

    fn call(&mut self, kind: ValueType) -> Option<String> {
        let plain = |(_, result, parameters): &&Function| *result == kind && parameters.iter().all(|p| !p.1);
        let (name, _, parameters) = self.functions.iter().find(plain).cloned()?;
        let arguments: Vec<String> = parameters.iter().map(|(kind, _)| self.leaf(*kind)).collect();
        Some(format!("{name}({})", arguments.join(", ")))
    }

    fn integer(&mut self, n: u32, signed: bool, depth: u32) -> String {
        let kind = if signed { ValueType::Int(n) } else { ValueType::Uint(n) };
        let (a, b) = (self.expression(kind, depth), self.expression(kind, depth));
        let literal = |value: u32| {
            let text = if signed { value.to_string() } else { format!("{value}u") };
            if n == 1 { text } else { format!("{}({text})", kind.name()) }
        };
        match self.random.below(18) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 => format!("({a} * {b})"),
            4 => format!("(({a}) / ((({b}) & {}) + {}))", literal(7), literal(1)),
            // Operands of % must not be negative (GLSL 4.60, 5.9).
            5 => format!("((({a}) & {}) % ((({b}) & {}) + {}))", literal(255), literal(7), literal(1)),
            6 => format!("({a} & {b})"),
            7 => format!("({a} | {b})"),
            8 => format!("({a} ^ {b})"),
            9 => format!("~({a})"),
            10 => format!("(({a}) << (({b}) & {}))", literal(15)),
            11 => format!("(({a}) >> (({b}) & {}))", literal(31)),
            12 => format!("min({a}, {b})"),
            13 => format!("max({a}, {b})"),
            14 if signed => format!("abs({a})"),
            15 if signed => format!("sign({a})"),
            14 | 15 => format!("clamp({a}, {}, {})", literal(2), literal(200)),
            // Rounded down first and moved away from integers, where the last bit of a float decides.
            16 => {
                let float = self.leaf(ValueType::Float(n));
                let whole = format!("floor({float} * 8.0 + 0.3125)");
                if signed { format!("{}({whole})", kind.name()) } else { format!("{}(abs({whole}))", kind.name()) }
            }
            _ if self.version >= 400 => {
                let function = ["bitCount", "findLSB", "bitfieldReverse"][self.random.below(3) as usize];
                format!("{}({function}({a}))", kind.name())
            }
            _ => format!("({a} + {})", literal(3)),
        }
    }

    fn boolean(&mut self, depth: u32) -> String {
        match self.random.below(8) {
            0..=2 => {
                let (a, b) = (self.expression(ValueType::Float(1), depth), self.expression(ValueType::Float(1), depth));
                let operator = ["<", ">", "<=", ">="][self.random.below(4) as usize];
                format!("({a} {operator} {b})")
            }
            3 | 4 => {
                let (a, b) = (self.expression(ValueType::Int(1), depth), self.expression(ValueType::Int(1), depth));
                let operator = ["<", ">=", "==", "!="][self.random.below(4) as usize];
                format!("({a} {operator} {b})")
            }
            5 => {
                let n = 2 + self.random.below(3);
                let (a, b) = (self.leaf(ValueType::Float(n)), self.leaf(ValueType::Float(n)));
                let all = ["any", "all"][self.random.below(2) as usize];
                format!("{all}(lessThan({a}, {b}))")
            }
            6 => {
                let (a, b) = (self.expression(ValueType::Bool, depth), self.expression(ValueType::Bool, depth));
                let operator = ["&&", "||", "^^"][self.random.below(3) as usize];
                format!("({a} {operator} {b})")
            }
            _ => format!("!{}", self.expression(ValueType::Bool, depth)),
        }
    }

    fn matrix(&mut self, n: u32, depth: u32) -> String {
        let (a, b) = (self.expression(ValueType::Matrix(n), depth), self.expression(ValueType::Matrix(n), depth));
        match self.random.below(6) {
            0 => format!("({a} * {b})"),
            1 => format!("({a} + {b})"),
            2 => format!("transpose({a})"),
            3 => format!("matrixCompMult({a}, {b})"),
            4 => format!("({a} * {})", self.leaf(ValueType::Float(1))),
            _ => format!("outerProduct({}, {})", self.leaf(ValueType::Float(n)), self.leaf(ValueType::Float(n))),
        }
    }

    /// Returns a variable, or a constant if there is none of the type.
    fn leaf(&mut self, kind: ValueType) -> String {
        if self.random.below(5) > 0 {
            if let Some(Variable { name, .. }) = self.pick(|v| v.kind == kind) {
                return name;
            }
            if let ValueType::Float(n) = kind {
                let more = self.pick(|v| matches!(v.kind, ValueType::Float(m) if m > n));
                if let Some(Variable { name, .. }) = more {
                    return format!("{name}.{}", &"xyzw"[..n as usize]);
                }
            }
        }
        match kind {
            ValueType::Float(1) => format!("{:?}", self.random.dyadic(-2, 2)),
            ValueType::Float(n) => {
                let parts: Vec<String> = (0..n).map(|_| format!("{:?}", self.random.dyadic(-2, 2))).collect();
                format!("vec{n}({})", parts.join(", "))
            }
            ValueType::Int(1) => self.random.below(40).to_string(),
            ValueType::Int(n) => format!("ivec{n}(e.x + {})", self.random.below(9)),
            ValueType::Uint(1) => "f".to_owned(),
            ValueType::Uint(n) => format!("uvec{n}(f)"),
            ValueType::Bool => "(c.x > 0.0)".to_owned(),
            ValueType::Matrix(n) => format!("mat{n}({:?})", self.random.dyadic(-2, 2)),
        }
    }
}

fn spread(n: u32, literal: &str) -> String {
    if n == 1 { literal.to_owned() } else { format!("vec{n}({literal})") }
}
