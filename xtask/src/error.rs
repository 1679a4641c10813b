//! Why a task failed.

use std::fmt::{self, Display};

/// A sentence for the user, and the exit status.
#[derive(Debug)]
pub struct Error {
    text: String,
    status: u8,
}

/// What a task returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The task failed.
    pub fn new(text: impl Into<String>) -> Error {
        Error { text: text.into(), status: 1 }
    }

    /// The task cannot do anything on this machine, or does not understand its arguments.
    pub fn refused(text: impl Into<String>) -> Error {
        Error { text: text.into(), status: 2 }
    }

    /// Returns the exit status.
    #[must_use]
    pub fn status(&self) -> u8 {
        self.status
    }
}

impl Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// Says what was attempted when something fails.
pub trait Context<T> {
    /// Puts a text in front of the error.
    ///
    /// # Errors
    /// When there was one.
    fn context(self, text: impl Display) -> Result<T>;
}

impl<T, E: Display> Context<T> for std::result::Result<T, E> {
    fn context(self, text: impl Display) -> Result<T> {
        self.map_err(|error| Error::new(format!("{text}: {error}")))
    }
}
