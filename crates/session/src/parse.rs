//! Parses what users write on command lines and in consoles: pixels, invocations, numbers.

/// Why a text cannot be parsed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseError {
    /// It is not a pixel.
    #[error("`{text}` is not a pixel: write two numbers, X,Y")]
    Pixel {
        /// The text.
        text: String,
    },
    /// It is a pixel that no image has.
    #[error("pixel {text} is outside the framebuffer: columns and rows are counted from 0, from the lower left")]
    Negative {
        /// The text.
        text: String,
    },
    /// It is not a pixel with or without a sample.
    #[error("`{text}` is not a pixel: write X,Y or X,Y,SAMPLE with a sample below 64")]
    PixelAndSample {
        /// The text.
        text: String,
    },
    /// It is not an invocation.
    #[error("`{text}` is not an invocation: write one number, or three: X,Y,Z")]
    Invocation {
        /// The text.
        text: String,
    },
    /// It is not a number.
    #[error("`{text}` is not a number")]
    Number {
        /// The text.
        text: String,
    },
    /// It is not a plane of a framebuffer.
    #[error("`{text}` is not a plane: write colour, colour:N, depth or stencil")]
    Plane {
        /// The text.
        text: String,
    },
}

/// Parses a pixel: two integers with a comma or a space between them.
///
/// # Errors
/// When the text is not one.
pub fn pixel(text: &str) -> Result<[u32; 2], ParseError> {
    let pixel = integers(text).and_then(|numbers| numbers.try_into().ok());
    pixel.ok_or_else(|| {
        if is_negative(text, 2..=2) { negative(text) } else { ParseError::Pixel { text: text.to_owned() } }
    })
}

/// Parses a pixel, and perhaps the number of a sample after it.
///
/// # Errors
/// When the text is not one.
pub fn pixel_and_sample(text: &str) -> Result<([u32; 2], Option<u32>), ParseError> {
    match integers(text).as_deref() {
        Some([x, y]) => Ok(([*x, *y], None)),
        Some([x, y, sample]) if *sample < 64 => Ok(([*x, *y], Some(*sample))),
        _ if is_negative(text, 2..=3) => Err(negative(text)),
        _ => Err(ParseError::PixelAndSample { text: text.to_owned() }),
    }
}

/// Parses the number of an invocation: one to three integers; those left out are 0.
///
/// # Errors
/// When the text is not one.
pub fn invocation(text: &str) -> Result<[u32; 3], ParseError> {
    match integers(text).as_deref() {
        Some([x]) => Ok([*x, 0, 0]),
        Some([x, y]) => Ok([*x, *y, 0]),
        Some([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err(ParseError::Invocation { text: text.to_owned() }),
    }
}

/// Parses the numbers of a value: with commas or spaces between them, plain or as the language writes vectors, `true` and
/// `false` as 1 and 0.
///
/// # Errors
/// When a word is not a number.
pub fn numbers(text: &str) -> Result<Vec<f64>, ParseError> {
    let inside = match text.split_once('(') {
        Some((_, inside)) => inside.trim_end().trim_end_matches(')'),
        None => text,
    };
    let number = |word: &str| match word {
        "true" => Ok(1.0),
        "false" => Ok(0.0),
        _ => word.parse::<f64>().map_err(|_| ParseError::Number { text: word.to_owned() }),
    };
    words(inside).map(number).collect()
}

/// Whether a text is so many integers, of which some are negative.
fn is_negative(text: &str, count: std::ops::RangeInclusive<usize>) -> bool {
    let numbers: Option<Vec<i64>> = words(text).map(|word| word.parse().ok()).collect();
    numbers.is_some_and(|numbers| count.contains(&numbers.len()) && numbers.iter().any(|number| *number < 0))
}

fn negative(text: &str) -> ParseError {
    ParseError::Negative { text: text.to_owned() }
}

fn integers(text: &str) -> Option<Vec<u32>> {
    words(text).map(|word| word.parse().ok()).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ']).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_and_invocations_are_read() {
        assert_eq!(pixel("3,4"), Ok([3, 4]));
        assert_eq!(pixel("3, 4"), Ok([3, 4]));
        assert!(pixel("3").is_err() && pixel("3,4,5").is_err() && pixel("-3,4").is_err());
        assert_eq!(pixel("-3,4"), Err(ParseError::Negative { text: "-3,4".to_owned() }));
        assert_eq!(pixel("-x,4"), Err(ParseError::Pixel { text: "-x,4".to_owned() }));
        assert_eq!(pixel_and_sample("3,4"), Ok(([3, 4], None)));
        assert_eq!(pixel_and_sample("3,4,2"), Ok(([3, 4], Some(2))));
        assert!(pixel_and_sample("3,4,64").is_err());
        assert_eq!(invocation("7"), Ok([7, 0, 0]));
        assert_eq!(invocation("7,8,9"), Ok([7, 8, 9]));
        assert!(invocation("").is_err() && invocation("1,2,3,4").is_err());
    }

    #[test]
    fn numbers_are_read_plain_and_as_vectors() {
        assert_eq!(numbers("1, 2.5 -3").unwrap(), [1.0, 2.5, -3.0]);
        assert_eq!(numbers("vec2(0.5, 1e3)").unwrap(), [0.5, 1000.0]);
        assert_eq!(numbers("true").unwrap(), [1.0]);
        assert!(numbers("red").is_err());
    }
}
