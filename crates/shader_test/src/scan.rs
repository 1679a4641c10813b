//! Reads words and numbers from a line, as C's `strtol` and `strtof` do.

/// The unread rest of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scan<'a> {
    rest: &'a str,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(rest: &'a str) -> Scan<'a> {
        Scan { rest }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.rest.trim()
    }

    /// Consumes these words if the line begins with them, with any blanks between and after them.
    pub(crate) fn words(&mut self, words: &str) -> bool {
        let mut ahead = *self;
        for word in words.split(' ') {
            if ahead.word() != Some(word) {
                return false;
            }
        }
        *self = ahead;
        true
    }

    /// The next word, up to a blank.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        self.rest = &text[end..];
        (end > 0).then(|| &text[..end])
    }

    /// The next integer, in base 8, 10 or 16 by its prefix; parentheses and commas count as blanks.
    pub(crate) fn int(&mut self) -> Option<i128> {
        let text = self.number_start();
        let (negative, digits) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let (radix, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => (16, hex),
            None if digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit() => (8, digits),
            None => (10, digits),
        };
        let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let value = i128::from_str_radix(&digits[..end], radix).ok()?;
        self.rest = &digits[end..];
        Some(if negative { -value } else { value })
    }

    /// The next number that fits an index or a size.
    pub(crate) fn index(&mut self) -> Option<u32> {
        let mut ahead = *self;
        let value = u32::try_from(ahead.int()?).ok()?;
        *self = ahead;
        Some(value)
    }

    /// The next real number. A number in base 16 gives the bits of a value of type `T`.
    pub(crate) fn real<T: Real>(&mut self) -> Option<T> {
        let text = self.number_start();
        if text.starts_with("0x") || text.starts_with("0X") {
            return self.int().map(T::from_bits);
        }
        let end = decimal_len(text)?;
        let value = text[..end].parse().ok()?;
        self.rest = &text[end..];
        Some(T::from_decimal(value))
    }

    /// Exactly `N` real numbers.
    pub(crate) fn reals<T: Real, const N: usize>(&mut self) -> Option<[T; N]> {
        let mut all = [T::from_decimal(0.0); N];
        for one in &mut all {
            *one = self.real()?;
        }
        Some(all)
    }

    /// Exactly `N` integers.
    pub(crate) fn indices<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut all = [0; N];
        for one in &mut all {
            *one = self.index()?;
        }
        Some(all)
    }

    fn number_start(&self) -> &'a str {
        self.rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','))
    }
}

/// A floating-point type that can be built from its bits.
pub(crate) trait Real: Copy {
    fn from_bits(bits: i128) -> Self;
    fn from_decimal(value: f64) -> Self;
}

impl Real for f32 {
    fn from_bits(bits: i128) -> f32 {
        f32::from_bits(bits as u32)
    }

    fn from_decimal(value: f64) -> f32 {
        value as f32
    }
}

impl Real for f64 {
    fn from_bits(bits: i128) -> f64 {
        f64::from_bits(bits as u64)
    }

    fn from_decimal(value: f64) -> f64 {
        value
    }
}

/// The length of the decimal number at the start of a text.
fn decimal_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let unsigned = &text[sign..];
    for name in ["infinity", "inf", "nan"] {
        if unsigned.get(..name.len()).is_some_and(|t| t.eq_ignore_ascii_case(name)) {
            return Some(sign + name.len());
        }
    }
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let exponent = bytes.get(end + 1 + sign..).map_or(0, |_| digits(end + 1 + sign));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<f32>, rest: &str) {
        let mut scan = Scan::new(text);
        assert_eq!(scan.real::<f32>(), expected);
        assert_eq!(scan.rest(), rest);
    }

    #[test]
    fn numbers_end_as_in_c() {
        check(" 1.5, 2", Some(1.5), ", 2");
        check("( -.25e1)", Some(-2.5), ")");
        check("1e", Some(1.0), "e");
        check("3.", Some(3.0), "");
        check("0x3f800000 7", Some(1.0), "7");
        check("-inf 1", Some(f32::NEG_INFINITY), "1");
        check("word", None, "word");
        check("", None, "");
    }

    #[test]
    fn integers_have_bases() {
        let mut scan = Scan::new("0x1F 017 -5 0 9x");
        let all: Vec<_> = std::iter::from_fn(|| scan.int()).collect();
        assert_eq!((all, scan.rest()), (vec![31, 15, -5, 0, 9], "x"));
    }
}
