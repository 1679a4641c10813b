//! Mutates a shader token by token, so that most results still parse in most places.

use shader::symbol::{Symbol, Symbols};
use std::sync::OnceLock;

use crate::input::HEADER;

/// Pieces of GLSL that exercise corner cases: each is inserted as a whole.
const FRAGMENTS: &[&str] = &[
    "#version 110\n",
    "#version 300 es\n",
    "#version 450 core\n",
    "#version 460 compatibility\n",
    "\n#extension GL_ARB_gpu_shader5 : enable\n",
    "\n#extension all : warn\n",
    "\n#define M(a, b) a ## b + M(b, a)\n",
    "\n#if defined(M) && M(1, 2) > 0\n",
    "\n#else\n",
    "\n#elif 1 / 0\n",
    "\n#endif\n",
    "\n#undef M\n",
    "\n#line 4 5\n",
    "\n#pragma STDGL invariant(all)\n",
    "M(M(1, 2), 3)",
    "__LINE__",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\n",
    " ",
    "struct S { int a; vec3 b[2]; };",
    "S s[3];",
    "S(1, vec3[](vec3(1), vec3(2)))",
    "{ 1, { 2.0, 3 }, }",
    "[]",
    "[2]",
    "[-1]",
    "[1u << 31]",
    ".length()",
    ".xyzw",
    ".rgba",
    ".stpq",
    ".xr",
    "0x7fffffff",
    "4294967296",
    "1e999",
    "08",
    ".5lf",
    "layout(std140, binding = 0) uniform B { mat3 m[4]; float f; } b[2];",
    "layout(location = 0, component = 3)",
    "layout(xfb_buffer = 0, xfb_offset = 4, xfb_stride = 16) out;",
    "layout(triangles, invocations = 2) in;",
    "layout(local_size_x = 8) in;",
    "layout(vertices = 3) out;",
    "layout(offset = 4, align = 16)",
    "in gl_PerVertex { vec4 gl_Position; } gl_in[];",
    "subroutine float F(float x);",
    "subroutine(F) float g(float x) { return x; }",
    "subroutine uniform F u[2];",
    "for (int i = 0; i < 4; i++)",
    "while (bool b = true)",
    "do ; while (false);",
    "switch (1) { case 0: default: break; }",
    "if (a) b; else",
    "return;",
    "return 1;",
    "discard;",
    "precision highp float;",
    "invariant gl_Position;",
    "void main() {",
    "}",
    "float f(inout vec4 v, const in int n[2]);",
    "const int N = 1 + 2 * 3;",
    "uniform sampler2D t[N];",
    "texture(t[0], vec2(0))",
    "true ? 1 : 2.0",
    "a = b = c",
    "i++ + ++i",
    "(1, 2)",
    "!~-+",
];

/// Returns every word of the language tables.
pub fn words() -> &'static [String] {
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let symbols = Symbols::default();
        let names = (0..symbols.base_len() as u32).map(|n| symbols.name(Symbol(n)).to_owned());
        names.filter(|name| !name.is_empty()).collect()
    })
}

/// A small pseudo-random generator that is fast and reproducible.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

/// Changes one to four places of the text after the header; returns the new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(u64::from(seed) << 20 | 0x9e37);
    let header = size.min(HEADER);
    let text = data[header..size].to_vec();
    let mut tokens = split(&text);
    for _ in 0..=random.below(4) {
        change(&mut tokens, &mut random);
    }
    if header > 1 && random.below(16) == 0 {
        data[random.below(2)] = random.below(256) as u8;
    }
    let mut end = header;
    for token in tokens {
        if end + token.len() > max_size.min(data.len()) {
            break;
        }
        data[end..end + token.len()].copy_from_slice(token);
        end += token.len();
    }
    end
}

fn change<'a>(tokens: &mut Vec<&'a [u8]>, random: &mut Random) {
    let len = tokens.len();
    let at = random.below(len + 1);
    let run = at..(at + 1 + random.below(12)).min(len);
    match random.below(10) {
        0 => drop(tokens.drain(run.start.min(run.end)..run.end)),
        1 if at < len => drop(tokens.remove(at)),
        2 if at < len => tokens.insert(at, tokens[at]),
        3 | 4 if run.start < run.end => {
            let copy: Vec<&[u8]> = tokens[run].to_vec();
            let to = random.below(len + 1);
            tokens.splice(to..to, copy);
        }
        5 if len > 1 && at < len => tokens.swap(at, random.below(len)),
        6 if at < len => tokens[at] = tokens[random.below(len)],
        7 if at < len => tokens[at] = word(random),
        8 => tokens.insert(at, word(random)),
        _ => tokens.insert(at, FRAGMENTS[random.below(FRAGMENTS.len())].as_bytes()),
    }
}

fn word(random: &mut Random) -> &'static [u8] {
    let words = words();
    words[random.below(words.len())].as_bytes()
}

/// Splits a text into words, numbers, runs of white space and single characters; nothing is lost.
fn split(text: &[u8]) -> Vec<&[u8]> {
    let class = |b: u8| match b {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9' => 1,
        b' ' | b'\t' => 2,
        _ => 0,
    };
    text.chunk_by(|a, b| class(*a) == class(*b) && class(*a) != 0).collect()
}
