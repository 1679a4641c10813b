//! Which clients an adapter on a TCP port serves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::refusal::Refusal;

/// Requests that are answered before the token is known; `launch` and `attach` bring it.
const BEFORE: [&str; 4] = ["initialize", "launch", "attach", "disconnect"];

/// Guards one connection that any program of this machine, or any page in a browser, may have made.
#[derive(Clone)]
pub struct Guard {
    token: Arc<str>,
    programs: bool,
    open: Arc<AtomicBool>,
}

impl Guard {
    /// Returns the guard of a new connection. The client must know the token; `programs` says whether it may then start
    /// programs.
    #[must_use]
    pub fn new(token: &str, programs: bool) -> Guard {
        Guard { token: token.into(), programs, open: Arc::default() }
    }

    /// Returns whether the client has shown that it knows the token.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Checks whether a request is answered now.
    pub(crate) fn check_request(&self, command: &str) -> Result<(), Refusal> {
        if self.is_open() || BEFORE.contains(&command) { Ok(()) } else { Err(Refusal::NoToken) }
    }

    /// Checks a configuration: it has the token, unless the client has shown that already, and starts no program.
    pub(crate) fn check_launch(&self, token: Option<&str>, starts_program: bool) -> Result<(), Refusal> {
        if !self.is_open() {
            if !token.is_some_and(|token| is_same(token.as_bytes(), self.token.as_bytes())) {
                return Err(Refusal::NoToken);
            }
            self.open.store(true, Ordering::Release);
        }
        if starts_program && !self.programs { Err(Refusal::NoPrograms) } else { Ok(()) }
    }
}

/// Compares in a time that does not depend on where the texts differ.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_served_without_the_token() {
        let guard = Guard::new("secret", false);
        assert!(guard.check_request("initialize").is_ok() && guard.check_request("disconnect").is_ok());
        assert!(matches!(guard.check_request("evaluate"), Err(Refusal::NoToken)));
        for wrong in [None, Some(""), Some("secre"), Some("secrets"), Some("Secret")] {
            assert!(matches!(guard.check_launch(wrong, false), Err(Refusal::NoToken)), "{wrong:?}");
        }
        assert!(!guard.is_open());
        assert!(matches!(guard.check_launch(Some("secret"), true), Err(Refusal::NoPrograms)));
        assert!(guard.check_launch(Some("secret"), false).is_ok());
        assert!(guard.is_open() && guard.check_request("evaluate").is_ok());
        assert!(guard.check_launch(None, false).is_ok(), "`restart` need not repeat it");
        assert!(Guard::new("secret", true).check_launch(Some("secret"), true).is_ok());
    }
}
