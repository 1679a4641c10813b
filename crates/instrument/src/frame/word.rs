//! The representation of words in the language, and the conversion of values to words.
//!
//! If there are integers with bit operations, or words go to a block of integers, a word is an `int`. Otherwise it is a
//! `vec4` of four bytes, the least significant first: numbers up to 255 are exact in every float.

use shader::types::Scalar;

use super::Frame;
use crate::device::Transport;

/// The type of a word in the shader.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    Int,
    Bytes,
}

/// The bits of a float, computed arithmetically: exact for all numbers of the device; every NaN becomes the same one.
/// Multiplication by a power of two is exact, so the number is scaled to between one and two; division by zero
/// distinguishes the zeros. There are no branches, which some compilers handle badly. Every large constant is next to a
/// `highp` operand: otherwise Mesa treats it as a 16-bit `mediump` number. Mesa also assumes that numbers are not NaN;
/// but NaN is detected with `max` and `min`, which return the other operand, so that the results are below one and
/// above two at once.
const FLOAT_BYTES: &str = "\
`vec4 $bytes(`float $f) {
    `float $a = abs($f), $e = 127.0, $k;
    $k = float($a >= 18446744073709551616.0); $a *= 1.0 - $k + $k * 5.421010862427522e-20; $e += $k * 64.0;
    $k = float($a >= 4294967296.0); $a *= 1.0 - $k + $k * 2.3283064365386963e-10; $e += $k * 32.0;
    $k = float($a >= 65536.0); $a *= 1.0 - $k + $k * 1.52587890625e-5; $e += $k * 16.0;
    $k = float($a >= 256.0); $a *= 1.0 - $k + $k * 0.00390625; $e += $k * 8.0;
    $k = float($a >= 16.0); $a *= 1.0 - $k + $k * 0.0625; $e += $k * 4.0;
    $k = float($a >= 4.0); $a *= 1.0 - $k + $k * 0.25; $e += $k * 2.0;
    $k = float($a >= 2.0); $a *= 1.0 - $k + $k * 0.5; $e += $k * 1.0;
    $k = float($a < 1.0842021724855044e-19); $a *= 1.0 - $k + $k * 18446744073709551616.0; $e -= $k * 64.0;
    $k = float($a < 4.656612873077393e-10); $a *= 1.0 - $k + $k * 4294967296.0; $e -= $k * 32.0;
    $k = float($a < 3.0517578125e-5); $a *= 1.0 - $k + $k * 65536.0; $e -= $k * 16.0;
    $k = float($a < 0.0078125); $a *= 1.0 - $k + $k * 256.0; $e -= $k * 8.0;
    $k = float($a < 0.125); $a *= 1.0 - $k + $k * 16.0; $e -= $k * 4.0;
    $k = float($a < 0.5); $a *= 1.0 - $k + $k * 4.0; $e -= $k * 2.0;
    $k = float($a < 1.0); $a *= 1.0 - $k + $k * 2.0; $e -= $k * 1.0;
    bool $zero = $f == 0.0, $tiny = abs($f) < 1.17549435e-38, $finite = abs($f) <= 3.40282347e38;
    $a = $tiny ? abs($f) * 8.507059173023462e37 + 1.0 : $a;
    `float $m = $finite ? ($a - 1.0) * 8388608.0 : 0.0;
    $m = $f != $f || (max($f, 1.0) == 1.0 && min($f, 2.0) == 2.0) ? 4194304.0 : $m;
    $e = $finite ? $e : 255.0;
    $e = $tiny ? 0.0 : $e;
    `float $s = $f < 0.0 || ($zero && 1.0 / $f < 0.0) ? 128.0 : 0.0;
    `float $p = floor($m / 256.0), $q = floor($p / 256.0), $h = floor($e / 2.0);
    return vec4($m - $p * 256.0, $p - $q * 256.0, $q + ($e - $h * 2.0) * 128.0, $h + $s);
}
";

/// The bytes of an integer, without bit operations.
const INT_BYTES: &str = "\
`vec4 $bytes(`int $n) {
    `int $m = $n < 0 ? -($n + 1) : $n;
    `int $p = $m / 256, $q = $m / 65536, $r = $m / 16777216;
    `vec4 $b = vec4($m - $p * 256, $p - $q * 256, $q - $r * 256, $r);
    return $n < 0 ? vec4(255.0) - $b : $b;
}
";

/// An integer from its bytes.
const BYTES_INT: &str = "\
`int $bits(`float $f) {
    `vec4 $b = $bytes($f);
    `int $n = int($b.x) + int($b.y) * 256 + int($b.z) * 65536;
    return $b.w < 128.0 ? $n + int($b.w) * 16777216 : $n + (int($b.w) - 256) * 16777216;
}
";

impl Frame<'_> {
    /// Adds the functions that convert values to words.
    pub(super) fn open_words(&mut self) {
        let bit_casts = self.language.version.at_least(330, 300) || self.ask_for("GL_ARB_shader_bit_encoding");
        self.bit_casts = bit_casts;
        if !bit_casts {
            self.add(FLOAT_BYTES);
        }
        match self.words {
            Words::Bytes => self.add(INT_BYTES),
            Words::Int if !bit_casts => self.add(BYTES_INT),
            Words::Int => {}
        }
    }

    /// The words of a scalar, as template expressions.
    pub(super) fn words_of(&self, scalar: Scalar, value: &str) -> Vec<String> {
        let halves = |function: &str| ["x", "y"].map(|half| format!("int({function}({value}).{half})")).to_vec();
        let ints = match scalar {
            Scalar::Bool | Scalar::Uint => vec![format!("int({value})")],
            Scalar::Int => vec![value.to_owned()],
            // Floats are stored without conversion.
            Scalar::Float if matches!(self.transport, Transport::Memory(_)) => return vec![value.to_owned()],
            Scalar::Float if self.bit_casts => vec![format!("floatBitsToInt({value})")],
            Scalar::Float if self.words == Words::Bytes => return vec![format!("$bytes({value})")],
            Scalar::Float => vec![format!("$bits({value})")],
            Scalar::Double => halves("unpackDouble2x32"),
            Scalar::Int64 => halves("unpackInt2x32"),
            Scalar::Uint64 => halves("unpackUint2x32"),
        };
        ints.iter().map(|int| self.word_of(int)).collect()
    }

    /// The bits of a float as an `int`, if words have that type; as a template expression.
    pub(super) fn int_of_float(&self, value: &str) -> String {
        format!("{}({value})", if self.bit_casts { "floatBitsToInt" } else { "$bits" })
    }

    /// The word of an integer, as a template expression.
    pub(super) fn word_of(&self, int: &str) -> String {
        match self.words {
            Words::Int => int.to_owned(),
            Words::Bytes => format!("$bytes({int})"),
        }
    }

    /// The type of a word, as a template.
    pub(super) fn word_type(&self) -> &'static str {
        match self.words {
            Words::Int => "`int",
            Words::Bytes => "`vec4",
        }
    }
}
