//! Declarations (GLSL 4.60, chapter 4).

use super::{Parse, Parser, Unwind};
use crate::ast::{
    ArrayDim, BlockSyntax, DeclId, DeclKind, Declarator, ExprId, ExprKind, FunctionSyntax, LayoutArg, MemberSyntax,
    Name, ParamSyntax, QualifierKind, QualifierSyntax, StructSyntax, TypeSyntax, TypeSyntaxKind,
};
use crate::builtin::{Keyword, Word};
use crate::token::{TokenIndex, TokenKind};
use crate::types::{Precision, Type};

fn is_qualifier(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::Const
            | K::In
            | K::Out
            | K::Inout
            | K::Uniform
            | K::Buffer
            | K::Shared
            | K::Attribute
            | K::Varying
            | K::Centroid
            | K::Sample
            | K::Patch
            | K::Smooth
            | K::Flat
            | K::NoPerspective
            | K::Invariant
            | K::Precise
            | K::Coherent
            | K::Volatile
            | K::Restrict
            | K::Readonly
            | K::Writeonly
            | K::Layout
            | K::Subroutine
            | K::HighP
            | K::MediumP
            | K::LowP
    )
}

/// What may follow a declared type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclarationContext {
    Global,
    Local,
    Condition,
}

impl Parser<'_> {
    pub(super) fn external_declaration(&mut self) -> Parse<DeclId> {
        self.declaration(DeclarationContext::Global)
    }

    pub(super) fn local_declaration(&mut self) -> Parse<DeclId> {
        self.declaration(DeclarationContext::Local)
    }

    /// `bool b = …` in the condition of a loop: one declarator, no semicolon.
    pub(super) fn condition_declaration(&mut self) -> Parse<DeclId> {
        self.declaration(DeclarationContext::Condition)
    }

    fn declaration(&mut self, context: DeclarationContext) -> Parse<DeclId> {
        let start = self.at;
        if self.eat(TokenKind::Semicolon) {
            return Ok(self.tree.add_decl(DeclKind::Empty, self.span_from(start)));
        }
        if self.keyword() == Some(Keyword::Precision) {
            return self.precision_declaration();
        }
        let qualifiers = self.qualifiers()?;
        if !qualifiers.is_empty() && context != DeclarationContext::Condition {
            if self.eat(TokenKind::Semicolon) {
                return Ok(self.tree.add_decl(DeclKind::Qualifiers(qualifiers, Vec::new()), self.span_from(start)));
            }
            if self.word() == Some(Word::Identifier) {
                match self.kind_at(1) {
                    TokenKind::Comma if self.names.is_type(self.tokens[self.at].symbol) => {}
                    TokenKind::Semicolon | TokenKind::Comma => return self.requalification(start, qualifiers),
                    TokenKind::LeftBrace => return self.interface_block(start, qualifiers),
                    _ => {}
                }
            }
        }
        if self.word() == Some(Word::Identifier) && self.kind_at(1) == TokenKind::LeftParen {
            let name = self.describe();
            let error = self
                .error_here("syntax", format!("{name} is declared without a type"))
                .note("a function needs a return type in front of its name; `void` if it returns nothing");
            return Err(self.report(error));
        }
        let ty = self.type_syntax()?;
        if self.kind() == TokenKind::Semicolon && context != DeclarationContext::Condition {
            self.bump();
            let kind = DeclKind::Variables { qualifiers, ty, declarators: Vec::new() };
            return Ok(self.tree.add_decl(kind, self.span_from(start)));
        }
        if context != DeclarationContext::Condition && self.eat(TokenKind::Comma) {
            // The grammar's first declarator may be empty: `int , a;` declares `a`.
            let name = self.identifier("a name after `,`")?;
            return self.variables(start, context, qualifiers, ty, name);
        }
        let name = self.identifier("a name")?;
        if self.kind() == TokenKind::LeftParen && context != DeclarationContext::Condition {
            return self.function(start, qualifiers, ty, name);
        }
        self.variables(start, context, qualifiers, ty, name)
    }

    fn variables(
        &mut self,
        start: usize,
        context: DeclarationContext,
        qualifiers: Vec<QualifierSyntax>,
        ty: TypeSyntax,
        first: Name,
    ) -> Parse<DeclId> {
        let mut declarators = Vec::with_capacity(1);
        let mut name = first;
        loop {
            let dims = self.array_dims()?;
            let init = if self.eat(TokenKind::Equal) { Some(self.recovering_initializer()?) } else { None };
            // A name's scope begins after its initialiser (GLSL 4.60, 4.2), so `S S = S(0);` constructs the type.
            self.names.declare(name.symbol, false);
            let tokens = self.span_from(name.token.0 as usize);
            declarators.push(Declarator { name, dims, init, tokens });
            if context == DeclarationContext::Condition || !self.eat(TokenKind::Comma) {
                break;
            }
            name = self.identifier("a name after `,`")?;
        }
        if context != DeclarationContext::Condition {
            self.expect_semicolon()?;
        }
        let kind = DeclKind::Variables { qualifiers, ty, declarators };
        Ok(self.tree.add_decl(kind, self.span_from(start)))
    }

    /// A malformed initialiser is skipped up to the `;`: the name before it is still declared, so that its uses are not
    /// reported.
    fn recovering_initializer(&mut self) -> Parse<ExprId> {
        let (start, depth, scopes) = (self.at, self.depth, self.names.depth());
        if let Ok(init) = self.initializer() {
            return Ok(init);
        }
        let ends =
            |kind| matches!(kind, TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::Eof);
        while !ends(self.kind()) {
            self.bump();
        }
        if self.kind() != TokenKind::Semicolon {
            return Err(Unwind);
        }
        self.depth = depth;
        self.names.unwind_to(scopes);
        Ok(self.tree.add_expr(ExprKind::Error, self.span_from(start)))
    }

    fn precision_declaration(&mut self) -> Parse<DeclId> {
        let start = self.at;
        self.bump();
        let precision = match self.keyword() {
            Some(Keyword::HighP) => Precision::High,
            Some(Keyword::MediumP) => Precision::Medium,
            Some(Keyword::LowP) => Precision::Low,
            _ => return Err(self.unexpected("`lowp`, `mediump` or `highp`")),
        };
        self.bump();
        let ty = self.type_syntax()?;
        self.expect_semicolon()?;
        Ok(self.tree.add_decl(DeclKind::Precision(precision, ty), self.span_from(start)))
    }

    /// `invariant a, b;`
    fn requalification(&mut self, start: usize, qualifiers: Vec<QualifierSyntax>) -> Parse<DeclId> {
        let mut names = Vec::new();
        loop {
            names.push(self.identifier("a name")?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_semicolon()?;
        Ok(self.tree.add_decl(DeclKind::Qualifiers(qualifiers, names), self.span_from(start)))
    }

    pub(super) fn qualifiers(&mut self) -> Parse<Vec<QualifierSyntax>> {
        let mut list = Vec::new();
        while let Some(keyword) = self.keyword() {
            if !is_qualifier(keyword) {
                break;
            }
            let start = self.at;
            self.bump();
            let kind = match keyword {
                Keyword::Layout => QualifierKind::Layout(self.layout_arguments()?),
                Keyword::Subroutine if self.kind() == TokenKind::LeftParen => {
                    QualifierKind::Subroutine(self.subroutine_names()?)
                }
                _ => QualifierKind::Word(keyword),
            };
            list.push(QualifierSyntax { kind, tokens: self.span_from(start) });
        }
        Ok(list)
    }

    fn layout_arguments(&mut self) -> Parse<Vec<LayoutArg>> {
        self.expect(TokenKind::LeftParen, "`(` after `layout`")?;
        let mut arguments = Vec::new();
        loop {
            let token = self.tokens[self.at];
            // `shared` and `packed` are keywords elsewhere, so any word is accepted here.
            if token.kind != TokenKind::Word {
                return Err(self.unexpected("a layout qualifier"));
            }
            let name = Name { symbol: token.symbol, token: TokenIndex(self.at as u32) };
            self.bump();
            let value = if self.eat(TokenKind::Equal) { Some(self.constant_expression()?) } else { None };
            arguments.push(LayoutArg { name, value });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightParen, "`,` or `)`")?;
        Ok(arguments)
    }

    fn subroutine_names(&mut self) -> Parse<Vec<Name>> {
        self.bump();
        let mut names = Vec::new();
        loop {
            names.push(self.identifier("the name of a subroutine type")?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightParen, "`,` or `)`")?;
        Ok(names)
    }

    /// A type with the following brackets.
    pub(super) fn type_syntax(&mut self) -> Parse<TypeSyntax> {
        let start = self.at;
        let unsigned = self.eat_unsigned();
        let token = self.tokens[self.at];
        let kind = match self.word() {
            Some(Word::Type(_)) if unsigned => {
                self.bump();
                TypeSyntaxKind::Builtin(Type::UINT)
            }
            Some(Word::Type(ty)) => {
                self.bump();
                TypeSyntaxKind::Builtin(ty)
            }
            Some(Word::Keyword(Keyword::Void)) => {
                self.bump();
                TypeSyntaxKind::Builtin(Type::Void)
            }
            Some(Word::Keyword(Keyword::Struct)) => self.structure()?,
            Some(Word::Identifier) => {
                self.bump();
                TypeSyntaxKind::Named(token.symbol)
            }
            Some(Word::Reserved) => return Err(self.reserved(token.symbol)),
            Some(Word::Keyword(_)) | None => return Err(self.unexpected("a type")),
        };
        let dims = self.array_dims()?;
        Ok(TypeSyntax { kind, dims, tokens: self.span_from(start) })
    }

    fn structure(&mut self) -> Parse<TypeSyntaxKind> {
        self.bump();
        self.enter()?;
        let name = if self.kind() == TokenKind::LeftBrace { None } else { Some(self.identifier("a name or `{`")?) };
        let members = self.members()?;
        if let Some(name) = name {
            self.names.declare(name.symbol, true);
        }
        self.leave();
        Ok(TypeSyntaxKind::Struct(Box::new(StructSyntax { name, members })))
    }

    /// `{ member; … }`
    fn members(&mut self) -> Parse<Vec<MemberSyntax>> {
        self.expect(TokenKind::LeftBrace, "`{`")?;
        let mut members = Vec::new();
        while !self.eat(TokenKind::RightBrace) {
            let start = self.at;
            let qualifiers = self.qualifiers()?;
            let ty = self.type_syntax()?;
            let mut declarators = Vec::with_capacity(1);
            loop {
                let name = self.identifier("a member name")?;
                let dims = self.array_dims()?;
                let init = if self.eat(TokenKind::Equal) { Some(self.initializer()?) } else { None };
                let tokens = self.span_from(name.token.0 as usize);
                declarators.push(Declarator { name, dims, init, tokens });
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect_semicolon()?;
            members.push(MemberSyntax { qualifiers, ty, declarators, tokens: self.span_from(start) });
        }
        Ok(members)
    }

    pub(super) fn array_dims(&mut self) -> Parse<Vec<ArrayDim>> {
        let mut dims = Vec::new();
        while self.kind() == TokenKind::LeftBracket {
            let start = self.at;
            self.bump();
            let size = if self.kind() == TokenKind::RightBracket { None } else { Some(self.constant_expression()?) };
            self.expect(TokenKind::RightBracket, "`]`")?;
            dims.push(ArrayDim { size, tokens: self.span_from(start) });
        }
        Ok(dims)
    }

    fn interface_block(&mut self, start: usize, qualifiers: Vec<QualifierSyntax>) -> Parse<DeclId> {
        let name = self.identifier("the name of a block")?;
        let members = self.members()?;
        let instance = if self.word().is_some() { Some(self.identifier("an instance name or `;`")?) } else { None };
        let dims = self.array_dims()?;
        self.expect_semicolon()?;
        if let Some(instance) = instance {
            self.names.declare(instance.symbol, false);
        } else {
            for member in members.iter().flat_map(|m| &m.declarators) {
                self.names.declare(member.name.symbol, false);
            }
        }
        let block = BlockSyntax { qualifiers, name, members, instance, dims };
        Ok(self.tree.add_decl(DeclKind::Block(Box::new(block)), self.span_from(start)))
    }

    fn function(
        &mut self,
        start: usize,
        qualifiers: Vec<QualifierSyntax>,
        result: TypeSyntax,
        name: Name,
    ) -> Parse<DeclId> {
        self.names.declare(name.symbol, false);
        self.bump();
        self.names.push();
        let params = self.parameters()?;
        let body = if self.kind() == TokenKind::LeftBrace {
            Some(self.block()?)
        } else {
            self.expect_semicolon()?;
            None
        };
        self.names.pop();
        let function = FunctionSyntax { qualifiers, result, name, params, body };
        Ok(self.tree.add_decl(DeclKind::Function(Box::new(function)), self.span_from(start)))
    }

    fn parameters(&mut self) -> Parse<Vec<ParamSyntax>> {
        let mut params = Vec::new();
        if self.eat(TokenKind::RightParen) {
            return Ok(params);
        }
        if self.keyword() == Some(Keyword::Void) && self.kind_at(1) == TokenKind::RightParen {
            self.bump();
            self.bump();
            return Ok(params);
        }
        loop {
            let start = self.at;
            let qualifiers = self.qualifiers()?;
            let ty = self.type_syntax()?;
            let name = if matches!(self.kind(), TokenKind::Comma | TokenKind::RightParen | TokenKind::LeftBracket) {
                None
            } else {
                Some(self.identifier("a parameter name")?)
            };
            let dims = self.array_dims()?;
            if let Some(name) = name {
                self.names.declare(name.symbol, false);
            }
            params.push(ParamSyntax { qualifiers, ty, name, dims, tokens: self.span_from(start) });
            if self.eat(TokenKind::RightParen) {
                return Ok(params);
            }
            self.expect(TokenKind::Comma, "`,` or `)`")?;
        }
    }
}
