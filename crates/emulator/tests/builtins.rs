//! Every overload of every function that computes: a call of it runs, and gives what the front end's constant folder,
//! which shares no code with the emulator, gives for the same arguments.

use emulator::Wave;
use emulator::glsl::lower;
use emulator::ir::Register;
use lanes::{Mask, Numerics};
use shader::Shader;
use shader::ast::{ExprId, ExprKind};
use shader::builtin::{self, Direction, Effect, Function, Param};
use shader::symbol::Symbol;
use shader::typed::Target;
use shader::types::{Scalar, Type};
use shader::version::{Options, Stage, Vendor};

const TABLE: &str = include_str!("../../shader/src/builtin/functions.txt");

/// A stage and version in which functions exist.
struct Language {
    head: &'static str,
    stage: Stage,
    vendor: Vendor,
}

const MODERN: &str = "#version 450 compatibility\n\
    #extension GL_ARB_gpu_shader_int64 : enable\n\
    #extension GL_AMD_shader_trinary_minmax : enable\n\
    #extension GL_INTEL_shader_integer_functions2 : enable\n\
    #extension GL_NV_compute_shader_derivatives : enable\n";
const GEOMETRY: &str = "#version 450\nlayout(points) in;\nlayout(points, max_vertices = 1) out;\n";
const COMPUTE: &str = "#version 430\n\
    #extension GL_ARB_derivative_control : enable\n\
    #extension GL_NV_compute_shader_derivatives : enable\n";

const LANGUAGES: &[Language] = &[
    Language { head: MODERN, stage: Stage::Fragment, vendor: Vendor::Khronos },
    Language { head: MODERN, stage: Stage::Compute, vendor: Vendor::Khronos },
    Language { head: MODERN, stage: Stage::Vertex, vendor: Vendor::Khronos },
    Language { head: GEOMETRY, stage: Stage::Geometry, vendor: Vendor::Khronos },
    Language { head: COMPUTE, stage: Stage::Compute, vendor: Vendor::Khronos },
    Language {
        head: "#version 120\n#extension GL_EXT_gpu_shader4 : enable\n",
        stage: Stage::Fragment,
        vendor: Vendor::Khronos,
    },
    Language { head: "#version 120\n", stage: Stage::Fragment, vendor: Vendor::Mesa },
];

fn analyze(language: &Language, body: &str) -> Shader {
    let size = if language.stage == Stage::Compute { "layout(local_size_x = 4) in;\n" } else { "" };
    let options = Options { vendor: language.vendor, ..Options::new(language.stage) };
    shader::analyze(&[format!("{}{size}{body}", language.head)], &options)
}

fn spelling(ty: Type) -> String {
    let (scalar, vector) = match ty.scalar() {
        Some(Scalar::Bool) => ("bool", "bvec"),
        Some(Scalar::Int) => ("int", "ivec"),
        Some(Scalar::Uint) => ("unsigned int", "uvec"),
        Some(Scalar::Float) => ("float", "vec"),
        Some(Scalar::Double) => ("double", "dvec"),
        Some(Scalar::Int64) => ("int64_t", "i64vec"),
        Some(Scalar::Uint64) => ("uint64_t", "u64vec"),
        None => ("void", ""),
    };
    match ty {
        Type::Vector(_, n) => format!("{vector}{n}"),
        Type::Matrix(Scalar::Double, c, r) => format!("dmat{c}x{r}"),
        Type::Matrix(_, c, r) if c == r => format!("mat{c}"),
        Type::Matrix(_, c, r) => format!("mat{c}x{r}"),
        _ => scalar.to_owned(),
    }
}

/// `unsigned int` is spelled so by GL_EXT_gpu_shader4 and `uint` everywhere else.
fn spelled(ty: Type, language: &Language) -> String {
    let name = spelling(ty);
    if language.head.contains("gpu_shader4") { name } else { name.replace("unsigned int", "uint") }
}

/// A component for a parameter, the same everywhere: bits and literal.
fn sample(scalar: Scalar, variant: usize, param: usize, component: usize) -> (u64, String) {
    let pick = variant * 5 + param * 3 + component;
    match scalar {
        Scalar::Bool => {
            let value = pick.is_multiple_of(3) || pick == 4;
            (u64::from(value), value.to_string())
        }
        Scalar::Int => {
            let value = [5, -3, 2, 70000, 1, -8, 2_000_000_000, 3, -2_147_483_647][pick % 9];
            (u64::from(value as u32), value.to_string())
        }
        Scalar::Uint => {
            let value: u32 = [5, 3, 0x8000_0001, 70000, 1, 8, 4_000_000_000][pick % 7];
            (u64::from(value), format!("{value}u"))
        }
        Scalar::Float => {
            let value: f32 = [0.25, -0.5, 1.5, 0.75, -2.25, 3.0, 0.125, 6.5, -0.875, 1.0, 10.25][pick % 11];
            (u64::from(value.to_bits()), format!("{value:?}"))
        }
        Scalar::Double => {
            let value: f64 = [0.25, -0.5, 1.5, 0.75, -2.25, 3.0, 0.125, 6.5, -0.875, 1.0, 10.25][pick % 11];
            (value.to_bits(), format!("{value:?}LF"))
        }
        Scalar::Int64 => {
            let value = [5, -3, 1 << 40, 7, -(1 << 50), i64::MAX, 2][pick % 7];
            (value as u64, format!("{value}L"))
        }
        Scalar::Uint64 => {
            let value: u64 = [5, 3, 1 << 63, 7, 1 << 50, u64::MAX, 2][pick % 7];
            (value, format!("{value}UL"))
        }
    }
}

fn reads(param: &Param) -> bool {
    param.direction == Direction::In
}

/// The overload a shader calls in its last call of that name.
fn called(shader: &Shader, name: Symbol) -> Option<&'static Function> {
    (0..shader.tree.exprs.len() as u32).rev().map(ExprId).find_map(|id| {
        let call = matches!(shader.tree.expr(id).kind, ExprKind::Call(..));
        match shader.typed.expr(id).target {
            Target::Builtin(function) if call && function.name == name => Some(function),
            _ => None,
        }
    })
}

fn same_parameters(a: &Function, b: &Function) -> bool {
    a.params.iter().map(|p| p.ty).eq(b.params.iter().map(|p| p.ty))
}

/// A call whose arguments are uniforms; the function it is a call of decides whether it is of use.
fn call_text(function: &Function, name: &str, language: &Language) -> String {
    let mut text = String::new();
    let mut arguments = Vec::new();
    for (i, param) in function.params.iter().enumerate() {
        if param.constant {
            arguments.push(if param.ty == Type::UINT { "0u" } else { "0" }.to_owned());
            continue;
        }
        let storage = match param {
            Param { interpolant: true, .. } => "in ",
            Param { direction: Direction::In, .. } => "uniform ",
            _ => "",
        };
        text += &format!("{storage}{} p{i};\n", spelled(param.ty, language));
        arguments.push(format!("p{i}"));
    }
    let call = format!("{name}({})", arguments.join(", "));
    if function.result == Type::Void {
        return text + &format!("void main() {{ {call}; }}\n");
    }
    text + &format!("{} result;\nvoid main() {{ result = {call}; }}\n", spelled(function.result, language))
}

/// What the call gives, lane by lane, as one word for each component.
fn run(shader: &Shader, function: &Function) -> Result<Vec<[u64; 4]>, String> {
    let program = lower(shader).map_err(|refusal| refusal.to_string())?;
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    let all = Mask::from_bits(0b1111);
    wave.initialize(all).map_err(|trap| trap.to_string())?;
    for (i, param) in function.params.iter().enumerate().filter(|(_, p)| reads(p)) {
        let Some((_, home)) = program.locate(&format!("p{i}")) else { continue };
        let scalar = param.ty.scalar().expect("a number");
        let words = home.len / param.ty.components();
        for component in 0..param.ty.components() {
            let bits = std::array::from_fn(|lane| sample(scalar, lane, i, component as usize).0);
            for half in 0..words {
                let register = Register(home.start.0 + component * words + half);
                wave.set(register, bits.map(|b: u64| (b >> (32 * half)) as u32));
            }
        }
    }
    wave.main(all, 1000, &mut (), &mut ()).map_err(|trap| trap.to_string())?;
    if function.result == Type::Void {
        return Ok(Vec::new());
    }
    let (_, home) = program.locate("result").ok_or("no result")?;
    let components = function.result.components();
    let words = home.len / components;
    let read = |component: u32| {
        std::array::from_fn(|lane| {
            let word = |half: u32| u64::from(wave.register(home.at(component * words + half))[lane]);
            word(0) | if words == 2 { word(1) << 32 } else { 0 }
        })
    };
    Ok((0..components).map(read).collect())
}

/// What the constant folder gives for the arguments of a lane; `None` if it does not fold the function.
fn fold(function: &Function, name: &str, language: &Language, lane: usize) -> Option<Vec<u64>> {
    let arguments = function.params.iter().enumerate().map(|(i, param)| {
        let scalar = param.ty.scalar()?;
        let parts: Vec<_> = (0..param.ty.components() as usize).map(|c| sample(scalar, lane, i, c).1).collect();
        Some(format!("{}({})", spelled(param.ty, language), parts.join(", ")))
    });
    let arguments: Option<Vec<_>> = arguments.collect();
    let result = spelled(function.result, language);
    let shader =
        analyze(language, &format!("const {result} result = {name}({});\nvoid main() {{}}\n", arguments?.join(", ")));
    if shader.has_errors() {
        return None;
    }
    let symbols = &shader.preprocessed.symbols;
    let constant = shader.typed.variables.iter().find(|v| symbols.name(v.name) == "result")?.constant?;
    Some(shader.typed.constants.components(constant).to_vec())
}

fn near(ty: Type, got: u64, expected: u64) -> bool {
    let close = |a: f64, b: f64, relative: f64| {
        a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= relative * a.abs().max(b.abs()).max(1.0)
    };
    match ty.scalar() {
        Some(Scalar::Float) => {
            let (got, expected) = (f32::from_bits(got as u32), f32::from_bits(expected as u32));
            close(f64::from(got), f64::from(expected), 1e-6)
        }
        Some(Scalar::Double) => close(f64::from_bits(got), f64::from_bits(expected), 1e-14),
        _ => got == expected,
    }
}

/// The problem with one overload, if there is one; and whether its values could be compared.
fn examine(function: &'static Function, name: &str, overloads: &'static [Function]) -> Result<bool, String> {
    for language in LANGUAGES {
        let shader = analyze(language, &call_text(function, name, language));
        let Some(found) = called(&shader, function.name).filter(|_| !shader.has_errors()) else { continue };
        // `min(genType, float)` of scalars is `min(genType, genType)` of scalars, which comes first.
        let twin = overloads.iter().any(|o| std::ptr::eq(o, found)) && same_parameters(found, function);
        let same = std::ptr::eq(found, function) || twin && found.when.clauses() == function.when.clauses();
        if !same {
            continue;
        }
        let got = run(&shader, function)?;
        // Neighbours have other arguments here; those of a constant have the same.
        if function.effect == Effect::Derivative {
            return Ok(false);
        }
        let mut compared = false;
        for lane in 0..4 {
            let Some(expected) = fold(function, name, language, lane) else { continue };
            compared = true;
            for (component, &word) in expected.iter().enumerate() {
                if !near(function.result, got[component][lane], word) {
                    let got = got[component][lane];
                    return Err(format!("component {component} of lane {lane}: {got:#x}, folded {word:#x}"));
                }
            }
        }
        return Ok(compared);
    }
    Err("no language where it exists".to_owned())
}

#[test]
fn every_overload_runs_and_agrees_with_the_folder() {
    let mut names: Vec<&str> = Vec::new();
    for line in TABLE.lines().filter(|l| !l.starts_with(['#', '@', '%']) && !l.trim().is_empty()) {
        let name = line.split('(').next().and_then(|head| head.rsplit(' ').next()).expect("a prototype");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let symbols = shader::analyze(&[""], &Options::new(Stage::Vertex)).preprocessed.symbols;
    let (mut problems, mut overloads, mut compared) = (Vec::new(), 0, 0);
    for name in names {
        let all = builtin::functions(symbols.find(name).expect("a name of the language"));
        for function in all {
            overloads += 1;
            match examine(function, name, all) {
                Ok(values) => compared += usize::from(values),
                Err(problem) => {
                    let types: Vec<String> = function.params.iter().map(|p| spelling(p.ty)).collect();
                    problems.push(format!("{name}({}): {problem}", types.join(", ")));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{} of {overloads}:\n{}", problems.len(), problems.join("\n"));
    assert!(overloads > 800 && compared > 700, "{overloads} overloads, {compared} compared");
}
