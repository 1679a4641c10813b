//! Which fragments an answer is about: a draw may have several at a pixel.

use session::Counted;

/// Writes which fragments were counted.
pub fn text(counted: Option<Counted>) -> &'static str {
    match counted {
        None => "",
        Some(Counted::Running) => {
            "counted is every fragment, also those that depth and stencil throw away or that others cover\n"
        }
        Some(Counted::Passing) => "counted is every fragment that passes the tests, which this shader has come first\n",
        Some(Counted::Staying) => "counted is the fragment that stays at each pixel, not those it replaced\n",
    }
}

/// Writes how many invocations found no room to answer.
pub fn missed(count: u64) -> String {
    match count {
        0 => String::new(),
        missed => format!("{missed} more invocations ran than there is room for answers; they are not counted\n"),
    }
}
