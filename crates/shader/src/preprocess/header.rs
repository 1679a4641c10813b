//! `#version`, `#extension`, `#pragma` and `#line`: directives that affect how the rest is read.

use crate::builtin;
use crate::lexer::Lexeme;
use crate::preprocess::condition::evaluate;
use crate::preprocess::macros::extension_macro;
use crate::preprocess::{Behaviour, ExtensionChange, Pragma, PragmaKind, Preprocessor};
use crate::source::{LineDirective, Span};
use crate::token::TokenKind;
use crate::version::{Profile, Version};

impl Preprocessor<'_> {
    pub(super) fn version(&mut self, directive: Span, first: bool) {
        let line = self.rest_of_line();
        let whole = line.last().map_or(directive, |l| directive.to(l.token.span()));
        let parsed = self.version_of(&line);
        if !first {
            self.error("version", "`#version` must come before anything else", whole);
        } else if self.options.webgl && parsed.as_ref().is_ok_and(|v| v.number >= 300) {
            // GLSL ES 3.00, 3.4 requires it in the first line. GL drivers accept comments before it, browsers do not.
            let before = &self.sources.text()[..directive.start.0 as usize];
            if before.contains('\n') {
                self.error("version", "`#version 300 es` must be in the first line", whole);
            }
        }
        self.give_list(line);
        let again = self.out.version_span.is_some();
        self.out.version_span = self.out.version_span.or(Some(whole));
        match parsed {
            Err(message) => self.error("version", message, whole),
            Ok(version) => {
                if !again && self.options.version_override.is_none() && self.out.tokens.is_empty() {
                    self.out.version = version;
                    self.forget_predefined();
                }
            }
        }
    }

    /// Parses what follows `#version` (GLSL 4.60, 3.3; GLSL ES 3.20, 3.3).
    fn version_of(&self, line: &[Lexeme]) -> Result<Version, String> {
        let name = |lexeme: &Lexeme| self.out.symbols.name(lexeme.token.symbol);
        let Some((number, rest)) = line.split_first().filter(|(l, _)| l.token.kind == TokenKind::Number) else {
            return Err("`#version` needs a number".into());
        };
        let text = name(number);
        let profile = match rest {
            [] => None,
            [word] if word.token.kind == TokenKind::Word => Some(name(word)),
            _ => return Err("extra tokens after `#version`".into()),
        };
        let number: u16 = text.parse().map_err(|_| format!("`{text}` is not a version"))?;
        let profile = match (number, profile) {
            (100, None) => Profile::Es,
            (100, Some("es")) => return Err("GLSL ES 1.00 is `#version 100`, without `es`".into()),
            (300 | 310 | 320, Some("es")) => Profile::Es,
            (300 | 310 | 320, None) => return Err(format!("GLSL ES needs the word `es`: `#version {number} es`")),
            (110 | 120 | 130, None) => Profile::Compatibility,
            // Without a profile, 1.40 depends on the context; without the compatibility extension that is core.
            (140, None) => Profile::Core,
            (150 | 330 | 400 | 410 | 420 | 430 | 440 | 450 | 460, None | Some("core")) => Profile::Core,
            (150 | 330 | 400 | 410 | 420 | 430 | 440 | 450 | 460, Some("compatibility")) => Profile::Compatibility,
            (110 | 120 | 130 | 140, Some("core" | "compatibility")) => {
                return Err(format!("there are no profiles in version {number}; they begin with 150"));
            }
            (_, Some(word)) if !matches!(word, "core" | "compatibility" | "es") => {
                return Err(format!("`{word}` is not a profile"));
            }
            (_, None) => return Err(format!("there is no version {number}")),
            (_, Some(word)) => return Err(format!("there is no version `{number} {word}`")),
        };
        let version = Version { number, profile };
        let webgl = self.options.webgl && !matches!((profile, number), (Profile::Es, 100 | 300));
        if webgl || self.options.newest.is_some_and(|newest| number > newest) {
            return Err(format!("{version} is not available here"));
        }
        Ok(version)
    }

    pub(super) fn extension(&mut self, directive: Span) {
        // Macros are not expanded here (GLSL 1.10, 3.3).
        let line = self.rest_of_line();
        let whole = line.last().map_or(directive, |l| directive.to(l.token.span()));
        let kinds = [TokenKind::Word, TokenKind::Colon, TokenKind::Word];
        if !line.iter().map(|l| l.token.kind).eq(kinds) {
            return self.error("extension", "the form is `#extension NAME : BEHAVIOUR`", whole);
        }
        let (name, behaviour) = (line[0].token, line[2].token);
        self.give_list(line);
        let text = self.out.symbols.name(name.symbol);
        let all = text == "all";
        let behaviour = match self.out.symbols.name(behaviour.symbol) {
            "require" => Behaviour::Require,
            "enable" => Behaviour::Enable,
            "warn" => Behaviour::Warn,
            "disable" => Behaviour::Disable,
            other => {
                let message = format!("`{other}` is none of `require`, `enable`, `warn` and `disable`");
                return self.error("extension", message, behaviour.span());
            }
        };
        if all && matches!(behaviour, Behaviour::Require | Behaviour::Enable) {
            return self.error("extension", "`all` can only be `warn` or `disable`", whole);
        }
        if !all && !extension_macro(text, self.out.version, self.options) {
            let version = self.out.version;
            let exists = builtin::extension(text).is_some_and(|extension| extension.offered(version));
            let message = match exists {
                true => format!("extension `{text}` is not supported by the context"),
                false => format!("extension `{text}` is not supported in {version}"),
            };
            if behaviour == Behaviour::Require {
                self.error("extension-unsupported", message, name.span());
            } else {
                self.warning("extension-unsupported", message, name.span());
            }
        }
        if !self.out.tokens.is_empty() {
            // GLSL ES 3.00, 3.5. Desktop compilers accept it, and so do browsers in ES 1.00.
            let message = "`#extension` must come before any token of the program";
            let version = self.out.version;
            let tolerated = self.options.webgl && version.number == 100;
            if version.is_es() && !tolerated {
                self.error("extension-late", message, whole);
            } else {
                self.warning("extension-late", message, whole);
            }
        }
        let at = self.next_index();
        self.out.extensions.push(ExtensionChange { at, name: name.symbol, behaviour, span: name.span() });
    }

    pub(super) fn pragma(&mut self) {
        let span = self.lexer.skip_line();
        let text = self.sources.slice(span);
        let compact: String = text.split_whitespace().collect();
        let kind = match compact.as_str() {
            "STDGLinvariant(all)" => PragmaKind::InvariantAll,
            "optimize(on)" => PragmaKind::Optimize(true),
            "optimize(off)" => PragmaKind::Optimize(false),
            "debug(on)" => PragmaKind::Debug(true),
            "debug(off)" => PragmaKind::Debug(false),
            _ => PragmaKind::Other,
        };
        let at = self.next_index();
        self.out.pragmas.push(Pragma { at, span, kind, text: text.into() });
    }

    pub(super) fn line(&mut self, directive: Span) {
        let line = self.rest_of_line();
        let whole = line.last().map_or(directive, |l| directive.to(l.token.span()));
        let list = self.expand_list(line, false);
        let mut warnings = Vec::new();
        let symbols = &self.out.symbols;
        let version = self.out.version;
        let mut numbers = [None; 2];
        let mut rest = list.as_slice();
        let mut good = !rest.is_empty();
        for (index, number) in numbers.iter_mut().enumerate() {
            if rest.is_empty() || (index == 1 && self.is_path(rest)) {
                rest = &[];
                break;
            }
            match evaluate(rest, symbols, version, &mut warnings) {
                Ok((value, used)) => {
                    *number = u32::try_from(value).ok();
                    good &= number.is_some();
                    rest = &rest[used..];
                }
                Err(_) => good = false,
            }
        }
        // A name that counts as zero in `#if` is not a line number.
        good &= rest.is_empty() && warnings.is_empty();
        self.give_list(list);
        let (true, [Some(line), string]) = (good, numbers) else {
            return self.error("line-directive", "the form is `#line LINE` or `#line LINE STRING`", whole);
        };
        let at = self.lexer.next_line();
        let here = self.sources.presumed(&self.out.line_directives, directive.start);
        // Before GLSL 3.30 the number was that of the directive itself; in ES and later versions it is the next line's.
        let line = if version.at_least(330, 100) { line } else { line.wrapping_add(1) };
        self.out.line_directives.push(LineDirective { at, line, string: string.unwrap_or(here.string) });
    }

    /// Whether tokens are a path in quotes and may be: GL_ARB_shading_language_include adds such a form of `#line`.
    fn is_path(&self, tokens: &[Lexeme]) -> bool {
        let quote = |l: Option<&Lexeme>, end: fn(&str) -> bool| {
            l.is_some_and(|l| l.token.kind == TokenKind::Unknown && end(self.sources.slice(l.token.span())))
        };
        self.includes_enabled()
            && quote(tokens.first(), |t| t.starts_with('"'))
            && quote(tokens.last(), |t| t.ends_with('"'))
    }
}
