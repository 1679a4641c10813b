//! `#include` of named strings (ARB_shading_language_include).

use crate::lexer::Lexer;
use crate::preprocess::{Behaviour, Preprocessor};
use crate::source::Span;

/// Strings with deeper includes are assumed to include themselves.
const MAX_NESTING: usize = 64;

impl Preprocessor<'_> {
    /// Whether the extension is enabled at this point.
    pub(super) fn includes_enabled(&self) -> bool {
        let changes = self.out.extensions.iter().rev();
        let mut named = changes.filter(|c| self.out.symbols.name(c.name) == "GL_ARB_shading_language_include");
        named.next().is_some_and(|c| c.behaviour != Behaviour::Disable)
    }

    /// Reads the string that the directive names.
    pub(super) fn include(&mut self, directive: Span) {
        let line = self.lexer.raw_line();
        let whole = directive.to(line);
        if !self.includes_enabled() {
            self.error("include", "`#include` needs GL_ARB_shading_language_include", whole);
            return;
        }
        let text = self.sources.slice(line);
        let quoted = |open: char, close: char| text.strip_prefix(open).and_then(|t| t.split_once(close));
        let (path, rest, angled) = match (quoted('"', '"'), quoted('<', '>')) {
            (Some((path, rest)), _) => (path, rest, false),
            (_, Some((path, rest))) => (path, rest, true),
            _ => {
                self.error("include", "`#include` takes a path in quotes or angle brackets", whole);
                return;
            }
        };
        let rest = rest.trim();
        if !rest.is_empty() && !rest.starts_with("//") && !rest.starts_with("/*") {
            self.error("extra-tokens", "extra tokens after `#include`", whole);
        }
        let Some(index) = self.find_include(path, angled) else {
            self.error("include", format!("there is no string named `{path}`"), whole);
            return;
        };
        if self.including.len() >= MAX_NESTING {
            self.error("include", format!("strings are included more than {MAX_NESTING} deep"), whole);
            return;
        }
        let range = self.sources.include_range(index);
        let inner = Lexer::over(self.spliced, range);
        let outer = std::mem::replace(&mut self.lexer, inner);
        let conditionals = self.conditionals.len();
        self.including.push(index);
        self.run();
        self.including.pop();
        self.lexer = outer;
        for open in self.conditionals.split_off(conditionals.min(self.conditionals.len())) {
            self.error("unbalanced-conditional", "this conditional has no `#endif` in its string", open.span);
        }
    }

    /// An absolute path names one string. A relative one is searched relative to the including string (quotes only) and
    /// then in each search path.
    fn find_include(&self, path: &str, angled: bool) -> Option<usize> {
        if path.starts_with('/') {
            return self.named_string(path);
        }
        let includes = &self.options.includes;
        let here = self.including.last().filter(|_| !angled).map(|&i| {
            let own = normalize(&includes.strings[i].0);
            own[..own.rfind('/').unwrap_or(0)].to_owned()
        });
        let points = here.iter().chain(&includes.paths);
        points.map(|point| format!("{point}/{path}")).find_map(|full| self.named_string(&full))
    }

    fn named_string(&self, path: &str) -> Option<usize> {
        let path = normalize(path);
        // A string with the same name as an earlier one replaces it.
        self.options.includes.strings.iter().rposition(|(name, _)| normalize(name) == path)
    }
}

/// Removes `.`, `..` and empty components from a path.
fn normalize(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.trim().split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
