//! Determines which blocks of textures the fragments of each block of a target read.
//!
//! Targets and textures are divided into [`SIDE`] by [`SIDE`] blocks. Fragments set bits for the blocks that they read;
//! all fragments of a block of the target use the same words (Sharif and Lee, Total Recall, 4.6, do this in hardware).
//! The bits are conservative: filters, wrapping and levels are not computed, but allowed for.

use shader::ast::{ExprId, ExprKind, NodeId};
use shader::qualifier::Storage;
use shader::typed::Target;
use shader::types::{Dim, Opaque, OpaqueKind, Scalar, Type};

use super::Weaver;
use crate::device::{Device, Transport};
use crate::question::{Scope, Subject};
use crate::variant::{Refusal, Variant};

/// The number of blocks per side.
pub const SIDE: u32 = 16;

/// The number of words with one bit per block.
pub const MASK: u32 = SIDE * SIDE / 32;

/// The first word of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BlockFacts(pub u32);

impl BlockFacts {
    /// The block has fragments.
    pub const TOUCHED: u32 = 1;
    /// Some output a NaN.
    pub const NAN: u32 = 2;
    /// Some output an infinity.
    pub const INFINITE: u32 = 4;
    /// Some read unknown textures.
    pub const UNKNOWN: u32 = 8;

    /// Whether any of these is set.
    #[must_use]
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }
}

/// A shader that determines the blocks it reads.
#[derive(Clone, Debug)]
pub struct BlockVariant {
    /// The shader. It must run with the target's width and height in the first two words of the pick, and with space
    /// for [`BlockVariant::words`] words per block of the target.
    pub variant: Variant,
    /// The samplers it reads; each has [`MASK`] words after the first word of a block.
    pub samplers: Vec<String>,
}

impl BlockVariant {
    /// The number of words per block.
    #[must_use]
    pub fn words(&self) -> u32 {
        1 + MASK * self.samplers.len() as u32
    }
}

/// Functions for all samplers. The blocks that a coordinate may lead to are those of the surrounding texels, wherever
/// wrapping puts them: repeated, at an edge, or mirrored.
///
/// There are no loops and hardly a branch in what is called for each look-up: drivers inline it at every one, and LLVM takes
/// minutes for what they make of loops.
const FUNCTIONS: &str = "\
bool $unknown = false;
`int $mirrored(`int $bits) {
    $bits = ($bits & 21845) << 1 | ($bits >> 1) & 21845;
    $bits = ($bits & 13107) << 2 | ($bits >> 2) & 13107;
    $bits = ($bits & 3855) << 4 | ($bits >> 4) & 3855;
    return ($bits & 255) << 8 | $bits >> 8;
}
`int $blocks(`float $from, `float $to) {
    `int $low = int(floor(clamp($from, -4096.0, 4096.0) * 16.0));
    `int $high = int(floor(clamp($to, -4096.0, 4096.0) * 16.0));
    `int $run = ((1 << clamp($high - $low + 1, 0, 16)) - 1) << ($low & 15);
    `int $bits = ($run | $run >> 16) & 65535;
    `int $edges = ($low < 0 ? 1 : 0) | ($high > 15 ? 32768 : 0);
    $bits |= $edges != 0 ? $mirrored($bits) | $edges : 0;
    return $to - $from < 1.0 ? $bits : 65535;
}
int $anywhere() { $unknown = true; return 0; }
";

/// Functions and variables of a sampler, whose number is `#`. The eight words of its bits are kept until the end.
const OF_SAMPLER: &str = "\
`ivec4 $low# = ivec4(0), $high# = ivec4(0);
void $mark#(`int $across, `int $up) {
    $low# |= (ivec4($up) >> ivec4(0, 2, 4, 6) & 1) * $across | (ivec4($up) >> ivec4(1, 3, 5, 7) & 1) * $across << 16;
    $high# |= (ivec4($up) >> ivec4(8, 10, 12, 14) & 1) * $across | (ivec4($up) >> ivec4(9, 11, 13, 15) & 1) * $across << 16;
}
int $whole#() { $low# = $high# = ivec4(-1); return 0; }
`vec2 $read#(`ivec2 $size, `vec2 $uv) {
    `vec2 $reach = 2.0 * max(1.0 / vec2($size), max(abs(dFdx($uv)), abs(dFdy($uv))));
    $mark#($blocks($uv.x - $reach.x, $uv.x + $reach.x), $blocks($uv.y - $reach.y, $uv.y + $reach.y));
    return $uv;
}
`vec3 $read#(`ivec2 $size, `vec3 $uv) { $read#($size, $uv.xy); return $uv; }
`ivec2 $fetch#(`ivec2 $size, `ivec2 $texel) {
    `vec2 $uv = (vec2($texel) + 0.5) / vec2($size);
    $mark#($blocks($uv.x, $uv.x), $blocks($uv.y, $uv.y));
    return $texel;
}
";

/// Makes the variant of a fragment shader that determines which blocks of textures it reads.
///
/// # Errors
/// When the device or the language has no storage blocks, or no integers.
pub fn weave_blocks(subject: Subject<'_>, device: &Device) -> Result<BlockVariant, Refusal> {
    let version = subject.shader.preprocessed.version;
    if !version.at_least(130, 310) {
        return Err(Refusal::Impossible(format!("{version} has no bit operations")));
    }
    let mut weaver = Weaver::new(subject, (Scope::Blocks, false), device, Transport::Storage, None)?;
    let samplers = weaver.blocks()?;
    Ok(BlockVariant { variant: weaver.finish(Transport::Storage, None)?, samplers })
}

impl Weaver<'_> {
    fn blocks(&mut self) -> Result<Vec<String>, Refusal> {
        let mut samplers = Vec::new();
        for id in (0..self.shader.tree.exprs.len() as u32).map(ExprId) {
            if self.nodes.is_reached(NodeId::Expr(id)) {
                self.block_read(id, &mut samplers);
            }
        }
        let functions = self.block_functions(samplers.len());
        self.frame.declare(&functions);
        let end = self.block_end();
        self.around_main("", &end, false);
        Ok(samplers)
    }

    /// Everything that look-ups and the end of the shader call.
    fn block_functions(&self, samplers: usize) -> String {
        let mut text = FUNCTIONS.to_owned();
        let mut report = String::new();
        for sampler in 0..samplers {
            text.push_str(&OF_SAMPLER.replace('#', &sampler.to_string()));
            for word in 0..MASK as usize {
                let half = if word < 4 { "low" } else { "high" };
                let bits = format!("${half}{sampler}.{}", ["x", "y", "z", "w"][word % 4]);
                let place = 1 + sampler * MASK as usize + word;
                report.push_str(&format!("    if ({bits} != 0) atomicOr($words[$first + {place}], {bits});\n"));
            }
        }
        let unknown = BlockFacts::UNKNOWN;
        text.push_str(&format!(
            "void $report() {{\n    if (!$live) return;\n    if ($unknown) atomicOr($words[$first], {unknown});\n{report}}}\n"
        ));
        self.frame.text(&text)
    }

    /// Makes a look-up report what it reads.
    fn block_read(&mut self, id: ExprId, samplers: &mut Vec<String>) {
        let ExprKind::Call(_, arguments) = self.shader.tree.expr(id).kind else { return };
        let Target::Builtin(function) = self.shader.typed.expr(id).target else { return };
        let arguments = self.shader.tree.exprs_of(arguments).to_vec();
        let Some(&sampler) = arguments.first() else { return };
        let Type::Opaque(kind @ Opaque { kind: OpaqueKind::Sampler | OpaqueKind::Image, .. }) =
            self.shader.typed.expr(sampler).ty
        else {
            return;
        };
        let name = self.shader.preprocessed.symbols.name(function.name);
        if name.starts_with("textureSize") || name.starts_with("textureQuery") || name == "imageSize" {
            return;
        }
        let uniform = match (self.shader.tree.expr(sampler).kind, self.shader.typed.expr(sampler).target) {
            (ExprKind::Name(symbol), Target::Variable(variable)) => {
                let row = self.shader.typed.variable(variable);
                let global = row.qualifiers.storage == Storage::Uniform && kind.kind == OpaqueKind::Sampler;
                global.then(|| self.shader.preprocessed.symbols.name(symbol).to_owned())
            }
            _ => None,
        };
        let node = NodeId::Expr(id);
        let Some(uniform) = uniform else {
            let text = self.frame.text("($anywhere(), ");
            return self.rewrite.wrap(node, &text, ")");
        };
        let number = samplers.iter().position(|known| *known == uniform).unwrap_or_else(|| {
            samplers.push(uniform.clone());
            samplers.len() - 1
        });
        let flat = kind.dim == Dim::D2 && !kind.array && !kind.multisample;
        let level_0 = |at: usize| {
            let constant = arguments.get(at).and_then(|&argument| self.shader.typed.expr(argument).constant);
            constant.and_then(|constant| self.shader.typed.constants.as_i64(constant)) == Some(0)
        };
        let at = arguments.get(1).copied().filter(|_| flat);
        let kind_of = at.map(|at| self.shader.typed.expr(at).ty);
        let function = match (name, arguments.len(), kind_of) {
            ("texture" | "texture2D", 2, Some(Type::Vector(Scalar::Float, 2))) => Some("$read"),
            ("texture", 2, Some(Type::Vector(Scalar::Float, 3))) if kind.shadow => Some("$read"),
            ("texelFetch", 3, Some(Type::Vector(Scalar::Int, 2))) if level_0(2) => Some("$fetch"),
            _ => None,
        };
        match (function, at) {
            (Some(function), Some(at)) => {
                let function = self.frame.text(&format!("{function}{number}"));
                self.wrap_in_call(at, &function, &format!("textureSize({uniform}, 0), "));
            }
            _ => {
                let text = self.frame.text(&format!("($whole{number}(), "));
                self.rewrite.wrap(node, &text, ")");
            }
        }
    }

    /// Statements that report the outputs.
    fn block_end(&mut self) -> String {
        let mut text = "$report(); ".to_owned();
        for id in self.mentioned(Storage::Out) {
            let row = self.shader.typed.variable(id);
            let name = self.shader.preprocessed.symbols.name(row.name).to_owned();
            let name = self.frame.renamed(&name).unwrap_or(name);
            let (mut values, mut ty) = (vec![name], row.ty);
            while let Some(array) = self.shader.typed.types.as_array(ty) {
                let size = array.size.unwrap_or(0);
                values = values.iter().flat_map(|value| (0..size).map(move |n| format!("{value}[{n}]"))).collect();
                ty = array.element;
            }
            let whether = match ty {
                Type::Scalar(Scalar::Float) => "",
                Type::Vector(Scalar::Float, _) => "any",
                _ => continue,
            };
            for value in values {
                for (test, bit) in [("isnan", BlockFacts::NAN), ("isinf", BlockFacts::INFINITE)] {
                    text.push_str(&format!(
                        "if ($live && {whether}({test}({value}))) atomicOr($words[$first], {bit}); "
                    ));
                }
            }
        }
        self.frame.text(text.trim_end())
    }
}
