//! Words of command lines and consoles: pixels, invocations, numbers.
//!
//! Errors are sentences for people who typed something else.

/// Reads a pixel: two integers with a comma or a space between them.
///
/// # Errors
/// When the text is something else.
pub fn pixel(text: &str) -> Result<[u32; 2], String> {
    integers(text).and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| "a pixel is two numbers: X,Y".to_owned())
}

/// Reads a pixel, and perhaps the number of a sample after it.
///
/// # Errors
/// When the text is something else.
pub fn pixel_and_sample(text: &str) -> Result<([u32; 2], Option<u32>), String> {
    match integers(text).as_deref() {
        Some([x, y]) => Ok(([*x, *y], None)),
        Some([x, y, sample]) if *sample < 64 => Ok(([*x, *y], Some(*sample))),
        _ => Err("a pixel is two numbers and perhaps a sample below 64: X,Y or X,Y,SAMPLE".to_owned()),
    }
}

/// Reads the number of an invocation: one to three integers; those left out are 0.
///
/// # Errors
/// When the text is something else.
pub fn invocation(text: &str) -> Result<[u32; 3], String> {
    match integers(text).as_deref() {
        Some([x]) => Ok([*x, 0, 0]),
        Some([x, y]) => Ok([*x, *y, 0]),
        Some([x, y, z]) => Ok([*x, *y, *z]),
        _ => Err("an invocation is one number, or three: X,Y,Z".to_owned()),
    }
}

/// Reads the numbers of a value: with commas or spaces between them, plain or as the language writes vectors, `true` and
/// `false` as 1 and 0.
///
/// # Errors
/// When a word is not a number.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let inside = match text.split_once('(') {
        Some((_, inside)) => inside.trim_end().trim_end_matches(')'),
        None => text,
    };
    let number = |word: &str| match word {
        "true" => Ok(1.0),
        "false" => Ok(0.0),
        _ => word.parse::<f64>().map_err(|_| format!("`{word}` is not a number")),
    };
    words(inside).map(number).collect()
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
