//! Reserved words, and valid GLSL identifiers.

use crate::Target;

/// Reserved words of both assembly languages (ARB_vertex_program, 2.14.2; ARB_fragment_program, 3.11.2).
const BOTH: &[&str] = &[
    "ABS", "ADD", "ALIAS", "ATTRIB", "DP3", "DP4", "DPH", "DST", "END", "EX2", "FLR", "FRC", "LG2", "LIT", "MAD",
    "MAX", "MIN", "MOV", "MUL", "OPTION", "OUTPUT", "PARAM", "POW", "RCP", "RSQ", "SGE", "SLT", "SUB", "SWZ", "TEMP",
    "XPD", "program", "result", "state",
];

/// Reserved words of vertex programs only.
const VERTEX: &[&str] = &["ADDRESS", "ARL", "EXP", "LOG", "vertex"];

/// Reserved words of fragment programs only.
const FRAGMENT: &[&str] = &["CMP", "COS", "KIL", "LRP", "SCS", "SIN", "TEX", "TXB", "TXP", "fragment", "texture"];

/// Words with a meaning in the translated shader: GLSL keywords that are valid names in assembly, functions that
/// translations call, and names they declare. Names that begin with `gl_` are reserved in GLSL too (GLSL 1.20, 3.7).
const GLSL: &[&str] = &[
    "abs",
    "any",
    "asm",
    "attribute",
    "bool",
    "break",
    "bvec2",
    "bvec3",
    "bvec4",
    "case",
    "cast",
    "centroid",
    "clamp",
    "class",
    "clear",
    "const",
    "continue",
    "cos",
    "cross",
    "default",
    "discard",
    "do",
    "dot",
    "double",
    "dvec2",
    "dvec3",
    "dvec4",
    "else",
    "enum",
    "exp",
    "exp2",
    "extern",
    "external",
    "false",
    "fixed",
    "flat",
    "float",
    "floor",
    "for",
    "fract",
    "fragmentEnvironment",
    "fragmentLocal",
    "ftransform",
    "fvec2",
    "fvec3",
    "fvec4",
    "goto",
    "greaterThanEqual",
    "half",
    "hvec2",
    "hvec3",
    "hvec4",
    "if",
    "in",
    "inline",
    "inout",
    "input",
    "int",
    "interface",
    "invariant",
    "inversesqrt",
    "ivec2",
    "ivec3",
    "ivec4",
    "lessThan",
    "log2",
    "long",
    "lowp",
    "highp",
    "mediump",
    "precision",
    "main",
    "mat2",
    "mat2x2",
    "mat2x3",
    "mat2x4",
    "mat3",
    "mat3x2",
    "mat3x3",
    "mat3x4",
    "mat4",
    "mat4x2",
    "mat4x3",
    "mat4x4",
    "max",
    "min",
    "mix",
    "namespace",
    "noinline",
    "out",
    "output",
    "packed",
    "pow",
    "public",
    "return",
    "sampler1D",
    "sampler1DShadow",
    "sampler2D",
    "sampler2DRect",
    "sampler2DRectShadow",
    "sampler2DShadow",
    "sampler3D",
    "sampler3DRect",
    "samplerCube",
    "shadow1D",
    "shadow1DArray",
    "shadow1DProj",
    "shadow2D",
    "shadow2DArray",
    "shadow2DProj",
    "shadow2DRect",
    "shadow2DRectProj",
    "short",
    "sin",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "texture1D",
    "texture1DArray",
    "texture1DProj",
    "texture2D",
    "texture2DArray",
    "texture2DProj",
    "texture2DRect",
    "texture2DRectProj",
    "texture3D",
    "texture3DProj",
    "textureCube",
    "this",
    "true",
    "typedef",
    "uniform",
    "union",
    "unsigned",
    "using",
    "varying",
    "vertexEnvironment",
    "vertexLocal",
    "vec2",
    "vec3",
    "vec4",
    "void",
    "volatile",
    "while",
];

/// Whether a word is reserved. Instructions with the suffix `_SAT` are too.
pub fn is_reserved(word: &str, target: Target) -> bool {
    match target {
        Target::Vertex => BOTH.contains(&word) || VERTEX.contains(&word),
        Target::Fragment => {
            let word = word.strip_suffix("_SAT").unwrap_or(word);
            BOTH.contains(&word) || FRAGMENT.contains(&word)
        }
    }
}

/// Makes a name valid in GLSL: without `$`, without two underscores in a row, and without a special meaning. `taken`
/// tells which identifiers are in use.
pub fn glsl_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut made = name.replace('$', "_");
    while made.contains("__") {
        made = made.replace("__", "_");
    }
    let numbered = ["unit", "matrix", "attribute"].iter().any(|prefix| made.starts_with(prefix));
    if numbered || made.starts_with("gl_") || GLSL.contains(&made.as_str()) {
        made.insert_str(0, "the_");
    }
    let mut free = made.clone();
    let mut number = 1;
    while taken(&free) {
        number += 1;
        free = format!("{}_{number}", made.trim_end_matches('_'));
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_valid_identifiers() {
        let name = |name| glsl_name(name, |name| name == "a_b");
        assert_eq!(name("R0"), "R0");
        assert_eq!(name("dot"), "the_dot");
        assert_eq!(name("gl_x"), "the_gl_x");
        assert_eq!(name("x$$y"), "x_y");
        assert_eq!(name("a$b"), "a_b_2");
        assert_eq!(name("unit0"), "the_unit0");
    }
}
