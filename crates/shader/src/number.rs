//! Values of numeric literals.

/// The value of a literal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// An integer; a sign is a separate operator.
    Int {
        /// The magnitude.
        value: u64,
        /// Its suffix.
        suffix: IntSuffix,
        /// Written without `0x` or a leading zero: `2147483648` may deserve a warning only then.
        decimal: bool,
    },
    /// A number with a point, an exponent or an `f`.
    Float {
        /// The nearest double.
        value: f64,
        /// The nearest float, rounded from the text itself and not from the double.
        single: f32,
        /// Its suffix.
        suffix: FloatSuffix,
    },
}

/// The suffix of an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IntSuffix {
    /// None: `int`.
    None,
    /// `u`: `uint`.
    U,
    /// `l`: `int64_t`.
    L,
    /// `ul`: `uint64_t`.
    UL,
    /// `s`: `int16_t`.
    S,
    /// `us`: `uint16_t`.
    US,
}

/// The suffix of a floating-point number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatSuffix {
    /// None: `float`.
    None,
    /// `f`: `float`.
    F,
    /// `lf`: `double`.
    LF,
    /// `hf`: `float16_t`.
    HF,
}

/// What is wrong with a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberError {
    /// `8` or `9` after a leading zero.
    OctalDigit,
    /// No digits after `0x`.
    NoDigits,
    /// An `e` without digits after it.
    NoExponent,
    /// An unknown suffix.
    Suffix,
    /// The value does not fit into the type.
    Overflow,
}

impl std::fmt::Display for NumberError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NumberError::OctalDigit => "a leading zero makes it octal, with digits up to 7",
            NumberError::NoDigits => "there are no digits after `0x`",
            NumberError::NoExponent => "there are no digits in the exponent",
            NumberError::Suffix => "its suffix is unknown",
            NumberError::Overflow => "it does not fit into its type",
        })
    }
}

/// Parses a number token. An integer must fit its type as a bit pattern, so `4294967295` is a valid `int` (GLSL 4.60,
/// 4.1.3); a floating-point number that is too large for its type is infinite, not an error.
///
/// # Errors
/// When the spelling is not a number.
pub fn parse_number(text: &str) -> Result<Number, NumberError> {
    let bytes = text.as_bytes();
    if let [b'0', b'x' | b'X', digits @ ..] = bytes {
        return integer(digits, 16);
    }
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent == 0 {
            return Err(NumberError::NoExponent);
        }
        end += 1 + sign + exponent;
    }
    let suffix = &text[end..];
    if end == whole && !matches!(suffix, "f" | "F") {
        return match bytes {
            [b'0', digits @ ..] if whole > 1 => integer(digits, 8),
            _ => integer(bytes, 10),
        };
    }
    let suffix = match suffix {
        "" => FloatSuffix::None,
        "f" | "F" => FloatSuffix::F,
        "lf" | "LF" => FloatSuffix::LF,
        "hf" | "HF" => FloatSuffix::HF,
        _ => return Err(NumberError::Suffix),
    };
    let value: f64 = text[..end].parse().map_err(|_| NumberError::NoDigits)?;
    // Double rounding is wrong only if the double is halfway between two floats, or where floats lose bits.
    let halfway = value.to_bits() & 0x1fff_ffff == 0x1000_0000;
    let single = if halfway || value < f64::from(f32::MIN_POSITIVE) {
        text[..end].parse().map_err(|_| NumberError::NoDigits)?
    } else {
        value as f32
    };
    Ok(Number::Float { value, single, suffix })
}

fn integer(bytes: &[u8], radix: u32) -> Result<Number, NumberError> {
    let mut value: Option<u64> = Some(0);
    let mut count = 0;
    for b in bytes {
        let Some(digit) = char::from(*b).to_digit(radix.max(10)) else { break };
        if digit >= radix {
            return Err(NumberError::OctalDigit);
        }
        value = value.and_then(|v| v.checked_mul(u64::from(radix))?.checked_add(u64::from(digit)));
        count += 1;
    }
    if count == 0 && radix != 8 {
        return Err(NumberError::NoDigits);
    }
    let (suffix, bits) = match &bytes[count..] {
        [] => (IntSuffix::None, 32),
        [b'u' | b'U'] => (IntSuffix::U, 32),
        [b'l' | b'L'] => (IntSuffix::L, 64),
        [b'u' | b'U', b'l' | b'L'] => (IntSuffix::UL, 64),
        [b's' | b'S'] => (IntSuffix::S, 16),
        [b'u' | b'U', b's' | b'S'] => (IntSuffix::US, 16),
        _ => return Err(NumberError::Suffix),
    };
    match value {
        Some(value) if value <= u64::MAX >> (64 - bits) => Ok(Number::Int { value, suffix, decimal: radix == 10 }),
        _ => Err(NumberError::Overflow),
    }
}

#[cfg(test)]
mod tests {
    use super::{FloatSuffix, IntSuffix, Number, NumberError, parse_number};

    #[track_caller]
    fn check_int(text: &str, value: u64, suffix: IntSuffix) {
        match parse_number(text) {
            Ok(Number::Int { value: v, suffix: s, .. }) => assert_eq!((v, s), (value, suffix)),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[track_caller]
    fn check_float(text: &str, value: f64, single: f32, suffix: FloatSuffix) {
        assert_eq!(parse_number(text), Ok(Number::Float { value, single, suffix }));
    }

    #[track_caller]
    fn check_error(text: &str, error: NumberError) {
        assert_eq!(parse_number(text), Err(error), "{text}");
    }

    #[test]
    fn integers() {
        check_int("0", 0, IntSuffix::None);
        check_int("42", 42, IntSuffix::None);
        check_int("017", 15, IntSuffix::None);
        check_int("00", 0, IntSuffix::None);
        check_int("0u", 0, IntSuffix::U);
        check_int("0x1Fu", 31, IntSuffix::U);
        check_int("0XfF", 255, IntSuffix::None);
        check_int("4294967295", 0xffff_ffff, IntSuffix::None);
        check_int("0xfffffffffful", 0xff_ffff_ffff, IntSuffix::UL);
        check_int("18446744073709551615L", u64::MAX, IntSuffix::L);
        check_int("65535us", 65535, IntSuffix::US);
        check_int("7s", 7, IntSuffix::S);
    }

    #[test]
    fn floats() {
        check_float("1.", 1.0, 1.0, FloatSuffix::None);
        check_float(".5", 0.5, 0.5, FloatSuffix::None);
        check_float("1e-8", 1e-8, 1e-8, FloatSuffix::None);
        check_float("1.5E+3F", 1500.0, 1500.0, FloatSuffix::F);
        check_float("1f", 1.0, 1.0, FloatSuffix::F);
        check_float("08.5", 8.5, 8.5, FloatSuffix::None);
        check_float("09e1", 90.0, 90.0, FloatSuffix::None);
        check_float("2.0lf", 2.0, 2.0, FloatSuffix::LF);
        check_float("2.0hf", 2.0, 2.0, FloatSuffix::HF);
        check_float("1e99", 1e99, f32::INFINITY, FloatSuffix::None);
        // Just above the midpoint of two floats, and exactly on it once rounded to a double: double rounding gives 1.0.
        let text = "1.0000000596046447753906250000000001";
        check_float(text, 1.000_000_059_604_644_8, 1.000_000_1, FloatSuffix::None);
    }

    #[test]
    fn errors() {
        check_error("08", NumberError::OctalDigit);
        check_error("0x", NumberError::NoDigits);
        check_error("0xg", NumberError::NoDigits);
        check_error("1e", NumberError::NoExponent);
        check_error("1e+", NumberError::NoExponent);
        check_error("1u32", NumberError::Suffix);
        check_error("1.0abc", NumberError::Suffix);
        check_error("1xyz", NumberError::Suffix);
        check_error("1.0u", NumberError::Suffix);
        check_error("0b1", NumberError::Suffix);
        check_error("4294967296", NumberError::Overflow);
        check_error("0x1ffffffff", NumberError::Overflow);
        check_error("99999999999999999999999l", NumberError::Overflow);
        check_error("", NumberError::NoDigits);
        check_error(".", NumberError::NoDigits);
    }
}
