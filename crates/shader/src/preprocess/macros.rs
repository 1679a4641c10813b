//! Macros: `#define`, `#undef` and predefined ones.

use crate::diagnostic::Diagnostic;
use crate::lexer::{Lexeme, SPACE};
use crate::preprocess::Preprocessor;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::TokenKind;
use crate::version::{Options, Profile, Vendor, Version};

/// A macro, defined or not.
pub(super) struct Macro {
    pub(super) name: Symbol,
    /// The name in the `#define`.
    pub(super) definition: Span,
    /// The replacement text.
    pub(super) body: Span,
    pub(super) kind: MacroKind,
    pub(super) parameters: Vec<Symbol>,
    /// The range of its pieces.
    pub(super) pieces: (u32, u32),
    /// Whether the replacement text contains `##`.
    pub(super) pastes: bool,
    /// Whether it is being expanded, so that its name is not a call.
    pub(super) active: bool,
}

/// The source of a macro's tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MacroKind {
    Object,
    Function,
    /// `__LINE__`
    Line,
    /// `__FILE__`
    File,
    /// `__VERSION__`, `GL_ES` and the like.
    Value(u32),
}

impl Macro {
    pub(super) fn is_function(&self) -> bool {
        self.kind == MacroKind::Function
    }

    pub(super) fn is_predefined(&self) -> bool {
        !matches!(self.kind, MacroKind::Object | MacroKind::Function)
    }
}

/// A token of a replacement text.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    pub(super) lexeme: Lexeme,
    /// The index of the parameter, or [`NO_PARAMETER`].
    pub(super) parameter: u32,
}

/// The token is not a parameter.
pub(super) const NO_PARAMETER: u32 = u32::MAX;

/// Entries of the macro table: unknown, known not to be a macro, or a macro's index plus [`FIRST`].
const UNSEEN: u32 = 0;
const PLAIN: u32 = 1;
const FIRST: u32 = 2;

impl Preprocessor<'_> {
    /// Whether a word names a macro.
    #[inline]
    pub(super) fn is_macro(&mut self, symbol: Symbol) -> bool {
        match self.table.get(symbol.0 as usize) {
            Some(&PLAIN) => false,
            Some(&entry) if entry >= FIRST => true,
            _ => self.look_up(symbol).is_some(),
        }
    }

    /// The macro a word names.
    pub(super) fn look_up(&mut self, symbol: Symbol) -> Option<usize> {
        let at = symbol.0 as usize;
        if at >= self.table.len() {
            self.table.resize(self.out.symbols.len().next_power_of_two().max(256), UNSEEN);
        }
        if self.table[at] == UNSEEN {
            // Predefined macros are created when first named; there are over a hundred for extensions alone.
            self.table[at] = match predefined(self.out.symbols.name(symbol), self.out.version, self.options) {
                None => PLAIN,
                Some(kind) => {
                    self.macros.push(Macro {
                        name: symbol,
                        definition: Span::default(),
                        body: Span::default(),
                        kind,
                        parameters: Vec::new(),
                        pieces: (0, 0),
                        pastes: false,
                        active: false,
                    });
                    self.macros.len() as u32 - 1 + FIRST
                }
            };
        }
        self.table[at].checked_sub(FIRST).map(|index| index as usize)
    }

    /// Clears what is known about predefined macros, because the version has changed.
    pub(super) fn forget_predefined(&mut self) {
        if self.macros.is_empty() {
            return self.table.fill(UNSEEN);
        }
        for entry in &mut self.table {
            let defined = entry.checked_sub(FIRST).is_some_and(|index| !self.macros[index as usize].is_predefined());
            if !defined {
                *entry = UNSEEN;
            }
        }
    }

    pub(super) fn define(&mut self, directive: Span) {
        let Some(name) = self.macro_name(directive) else { return };
        let mut lexeme = self.lexer.next_in_line(&mut self.out.symbols);
        let mut parameters = Vec::new();
        let mut kind = MacroKind::Object;
        if lexeme.is_some_and(|l| l.token.kind == TokenKind::LeftParen && l.flags & SPACE == 0) {
            kind = MacroKind::Function;
            let Some(list) = self.parameters(name.token.span()) else { return };
            parameters = list;
            lexeme = self.lexer.next_in_line(&mut self.out.symbols);
        }
        let mut by_name: Vec<(Symbol, u32)> = parameters.iter().copied().zip(0..).collect();
        by_name.sort_unstable();
        if by_name.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            self.bad_parameters("two parameters have the same name", name.token.span());
            return;
        }
        let first = self.pieces.len();
        let mut body: Option<Span> = None;
        let mut pastes = false;
        while let Some(mut next) = lexeme {
            let token = &mut next.token;
            let span = token.span();
            body = Some(body.map_or(span, |body| body.to(span)));
            let mut parameter = NO_PARAMETER;
            match token.kind {
                TokenKind::Word => {
                    if self.options.webgl && span.len() as usize > self.longest_name() {
                        let message = format!("names have at most {} characters", self.longest_name());
                        self.error("long-name", message, span);
                    }
                    if let Ok(found) = by_name.binary_search_by_key(&token.symbol, |p| p.0) {
                        parameter = by_name[found].1;
                    }
                }
                // Interned so that redefinitions can be compared.
                TokenKind::Unknown => token.symbol = self.out.symbols.intern(self.sources.slice(span)),
                TokenKind::HashHash => pastes = true,
                TokenKind::Hash if kind == MacroKind::Function => {
                    self.error("stringize", "GLSL has no `#` operator", span);
                    self.lexer.skip_line();
                    self.pieces.truncate(first);
                    return;
                }
                _ => {}
            }
            self.pieces.push(Piece { lexeme: next, parameter });
            lexeme = self.lexer.next_in_line(&mut self.out.symbols);
        }
        if pastes {
            self.check_pastes(first);
        }
        let name_end = name.token.span().end;
        let pieces = (first as u32, self.pieces.len() as u32);
        let new = Macro {
            name: name.token.symbol,
            definition: name.token.span(),
            body: body.unwrap_or(Span { start: name_end, end: name_end }),
            kind,
            parameters,
            pieces,
            pastes,
            active: false,
        };
        self.install(new);
    }

    /// WebGL 1.0 and 2.0, "Maximum GLSL Token Size".
    fn longest_name(&self) -> usize {
        if self.options.is_webgl2(self.out.version) { 1024 } else { 256 }
    }

    pub(super) fn undefine(&mut self, directive: Span) {
        let Some(name) = self.lexer.next_in_line(&mut self.out.symbols).filter(|l| l.token.kind == TokenKind::Word)
        else {
            self.lexer.skip_line();
            return self.error("macro-name", "`#undef` needs the name of a macro", directive);
        };
        self.end_of_directive("undef");
        let span = name.token.span();
        let symbol = name.token.symbol;
        let version = self.out.version;
        let text = self.out.symbols.name(symbol);
        // GLSL ES 3.00, 3.5; according to the conformance tests the rule applies to ES 1.00 as well. On the desktop names
        // with two underscores may be undefined (GLSL 4.60, 3.3).
        let predefined = version.is_es() && matches!(text, "__LINE__" | "__FILE__" | "__VERSION__");
        if text.starts_with("GL_") || predefined {
            let message = format!("`{text}` cannot be undefined");
            return self.error("reserved-macro", message, span);
        }
        if text.contains("__") {
            let message = format!("`{text}` is reserved: it contains two underscores in a row");
            if version.is_es() && version.number <= 300 {
                return self.error("reserved-macro", message, span);
            }
            self.warning("reserved-macro", message, span);
        }
        if self.look_up(symbol).is_some() {
            self.table[symbol.0 as usize] = PLAIN;
        }
    }

    /// The name after `#define`, if it may be defined.
    fn macro_name(&mut self, directive: Span) -> Option<Lexeme> {
        let name = self.lexer.next_in_line(&mut self.out.symbols);
        let Some(name) = name.filter(|l| l.token.kind == TokenKind::Word) else {
            let span = name.map_or(directive, |l| l.token.span());
            self.error("macro-name", "`#define` needs a name", span);
            self.lexer.skip_line();
            return None;
        };
        let span = name.token.span();
        let text = self.out.symbols.name(name.token.symbol);
        let message = if text.starts_with("GL_") {
            // GLSL 4.60, 3.3.
            format!("`{text}` cannot be defined: names that begin with `GL_` are reserved")
        } else if matches!(text, "__LINE__" | "__FILE__" | "__VERSION__") {
            format!("`{text}` cannot be redefined")
        } else if text == "defined" && (!self.out.version.is_es() || self.options.webgl) {
            // The conformance tests of GLSL ES define it; browsers reject that.
            "`defined` cannot be a macro".into()
        } else if self.options.webgl && text.len() > self.longest_name() {
            "the name of this macro is too long for WebGL".into()
        } else {
            if text.contains("__") {
                let message = format!("`{text}` is reserved: it contains two underscores in a row");
                self.warning("reserved-macro", message, span);
            }
            return Some(name);
        };
        self.error("reserved-macro", message, span);
        self.lexer.skip_line();
        None
    }

    /// The parameters after the opening parenthesis, including the closing one.
    fn parameters(&mut self, name: Span) -> Option<Vec<Symbol>> {
        let mut parameters = Vec::new();
        let mut span = name;
        loop {
            let next = self.lexer.next_in_line(&mut self.out.symbols);
            span = next.map_or(span, |l| l.token.span());
            match next.map(|l| l.token) {
                Some(t) if t.kind == TokenKind::RightParen && parameters.is_empty() => break,
                Some(t) if t.kind == TokenKind::Word => parameters.push(t.symbol),
                _ => return self.bad_parameters("a parameter's name is missing", span),
            }
            let next = self.lexer.next_in_line(&mut self.out.symbols);
            span = next.map_or(span, |l| l.token.span());
            match next.map(|l| l.token.kind) {
                Some(TokenKind::Comma) => {}
                Some(TokenKind::RightParen) => break,
                _ => return self.bad_parameters("`,` or `)` is missing after a parameter", span),
            }
        }
        Some(parameters)
    }

    fn bad_parameters(&mut self, message: &str, span: Span) -> Option<Vec<Symbol>> {
        self.error("macro-parameters", message, span);
        self.lexer.skip_line();
        None
    }

    /// Reports `##` where it is not allowed. GLSL has it since 1.30; ES never has.
    fn check_pastes(&mut self, first: usize) {
        let body = &self.pieces[first..];
        let is_paste = |piece: &Piece| piece.lexeme.token.kind == TokenKind::HashHash;
        let Some(paste) = body.iter().find(|p| is_paste(p)).map(|p| p.lexeme.token.span()) else { return };
        let at_end = body.first().is_some_and(is_paste) || body.last().is_some_and(is_paste);
        if at_end {
            self.error("token-paste", "`##` needs a token on either side", paste);
        }
        if !self.out.version.at_least(130, 0) {
            let message = format!("{} has no `##`", self.out.version);
            let severe = self.options.vendor == Vendor::Khronos || self.out.version.is_es();
            if severe {
                self.error("token-paste", message, paste);
            } else {
                self.warning("token-paste", message, paste);
            }
        }
    }

    /// Defines a macro, unless it has a different definition.
    fn install(&mut self, new: Macro) {
        let index = self.look_up(new.name);
        if let Some(old) = index.map(|index| &self.macros[index]) {
            if !self.same(old, &new) {
                let message = format!("`{}` is defined differently already", self.out.symbols.name(new.name));
                let mut diagnostic = Diagnostic::error("macro-redefined", message, new.definition);
                if !old.is_predefined() {
                    diagnostic = diagnostic.label(old.definition, "first defined here");
                }
                self.report(diagnostic);
            }
            // The old one is kept; its pieces are the same, or the new ones are erroneous.
            self.pieces.truncate(new.pieces.0 as usize);
            return;
        }
        self.table[new.name.0 as usize] = self.macros.len() as u32 + FIRST;
        self.macros.push(new);
    }

    /// Whether two definitions are the same: parameters, tokens, and the presence of white space between tokens (GLSL
    /// 4.60, 3.3, by reference to C++).
    fn same(&self, a: &Macro, b: &Macro) -> bool {
        let body = |m: &Macro| &self.pieces[m.pieces.0 as usize..m.pieces.1 as usize];
        let alike = |(index, (a, b)): (usize, (&Piece, &Piece))| {
            let (a, b) = (&a.lexeme, &b.lexeme);
            a.token.kind == b.token.kind
                && a.token.symbol == b.token.symbol
                && (index == 0 || (a.flags ^ b.flags) & SPACE == 0)
        };
        a.kind == b.kind
            && a.parameters == b.parameters
            && body(a).len() == body(b).len()
            && body(a).iter().zip(body(b)).enumerate().all(alike)
    }
}

/// The predefined macros (GLSL 4.60, 3.3 and 4.7.5).
fn predefined(name: &str, version: Version, options: &Options) -> Option<MacroKind> {
    if !name.starts_with("GL_") && !name.starts_with("__") {
        return None;
    }
    let set = |there: bool| there.then_some(MacroKind::Value(1));
    match name {
        "__LINE__" => Some(MacroKind::Line),
        "__FILE__" => Some(MacroKind::File),
        "__VERSION__" => Some(MacroKind::Value(u32::from(version.number))),
        "GL_ES" => set(version.is_es()),
        "GL_core_profile" => set(version.at_least(150, 0)),
        "GL_compatibility_profile" => set(version.at_least(150, 0) && version.profile == Profile::Compatibility),
        "GL_es_profile" => set(version.at_least(0, 300)),
        "GL_FRAGMENT_PRECISION_HIGH" => set(version.at_least(130, 100)),
        _ => set(extension_macro(name, version, options)),
    }
}

/// Whether the implementation offers an extension in this version of the language, and thus defines its macro.
pub(super) fn extension_macro(name: &str, version: Version, options: &Options) -> bool {
    crate::builtin::extension(name).is_some_and(|e| options.offers(e, version))
}
