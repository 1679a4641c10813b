//! The syntax tree: what was written, without any name resolution.
//!
//! Expressions, statements and declarations are stored in three arenas of one [`Tree`]. Their ids count from zero in
//! source order of completion, so the same text always gets the same ids: a [`NodeId`] can be stored and found again.
//! Every node stores its tokens; parentheses and literal spelling are kept.

use crate::builtin::Keyword;
use crate::symbol::Symbol;
use crate::token::{TokenIndex, TokenSpan};
use crate::types::{Precision, Type};

/// An expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

/// A statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StmtId(pub u32);

/// A declaration, at global scope or in a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DeclId(pub u32);

/// Any node: what a moment's site and a call path are made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NodeId {
    /// An expression.
    Expr(ExprId),
    /// A statement.
    Stmt(StmtId),
    /// A declaration.
    Decl(DeclId),
}

/// A run of ids in one of the tree's lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct List {
    start: u32,
    len: u32,
}

impl List {
    /// Number of elements.
    #[must_use]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// True when there is no element.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// One shader's syntax tree.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// All expressions.
    pub exprs: Vec<Expr>,
    /// All statements.
    pub stmts: Vec<Stmt>,
    /// All declarations.
    pub decls: Vec<Decl>,
    /// The declarations at global scope, in order.
    pub items: Vec<DeclId>,
    expr_lists: Vec<ExprId>,
    stmt_lists: Vec<StmtId>,
}

impl Tree {
    /// An expression by id.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// A statement by id.
    #[must_use]
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    /// A declaration by id.
    #[must_use]
    pub fn decl(&self, id: DeclId) -> &Decl {
        &self.decls[id.0 as usize]
    }

    /// The expressions of a list.
    #[must_use]
    pub fn exprs_of(&self, list: List) -> &[ExprId] {
        &self.expr_lists[list.start as usize..(list.start + list.len) as usize]
    }

    /// The statements of a list.
    #[must_use]
    pub fn stmts_of(&self, list: List) -> &[StmtId] {
        &self.stmt_lists[list.start as usize..(list.start + list.len) as usize]
    }

    /// The tokens a node is made of.
    #[must_use]
    pub fn tokens(&self, node: NodeId) -> TokenSpan {
        match node {
            NodeId::Expr(id) => self.expr(id).tokens,
            NodeId::Stmt(id) => self.stmt(id).tokens,
            NodeId::Decl(id) => self.decl(id).tokens,
        }
    }

    /// Whether a node is part of another, or the same.
    #[must_use]
    pub fn is_inside(&self, inner: NodeId, outer: NodeId) -> bool {
        let (outer, inner) = (self.tokens(outer), self.tokens(inner));
        outer.first <= inner.first && inner.last <= outer.last
    }

    /// The expression inside any number of parentheses.
    #[must_use]
    pub fn unwrap_parens(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) = self.expr(id).kind {
            id = inner;
        }
        id
    }

    pub(crate) fn add_expr(&mut self, kind: ExprKind, tokens: TokenSpan) -> ExprId {
        self.exprs.push(Expr { kind, tokens });
        ExprId(self.exprs.len() as u32 - 1)
    }

    pub(crate) fn add_stmt(&mut self, kind: StmtKind, tokens: TokenSpan) -> StmtId {
        self.stmts.push(Stmt { kind, tokens });
        StmtId(self.stmts.len() as u32 - 1)
    }

    pub(crate) fn add_decl(&mut self, kind: DeclKind, tokens: TokenSpan) -> DeclId {
        self.decls.push(Decl { kind, tokens });
        DeclId(self.decls.len() as u32 - 1)
    }

    pub(crate) fn add_expr_list(&mut self, ids: &[ExprId]) -> List {
        let start = self.expr_lists.len() as u32;
        self.expr_lists.extend_from_slice(ids);
        List { start, len: ids.len() as u32 }
    }

    pub(crate) fn add_stmt_list(&mut self, ids: &[StmtId]) -> List {
        let start = self.stmt_lists.len() as u32;
        self.stmt_lists.extend_from_slice(ids);
        List { start, len: ids.len() as u32 }
    }
}

/// An expression and its tokens.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// The tokens it is made of.
    pub tokens: TokenSpan,
}

/// A literal's value and type.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "each is a literal of that type")]
pub enum Literal {
    Bool(bool),
    Int(i32),
    Uint(u32),
    Float(f32),
    Double(f64),
    Int64(i64),
    Uint64(u64),
}

/// The callee of a call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Callee {
    /// A name: a function or a structure's constructor.
    Name(Symbol),
    /// A built-in type's constructor.
    Type(Type),
    /// A type with array brackets; its type specifier is a declaration of kind [`DeclKind::TypeName`].
    Array(DeclId),
    /// An expression: `.length` or a subroutine array element.
    Expr(ExprId),
}

/// The kind of an expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ExprKind {
    /// Could not be parsed; reported.
    Error,
    /// A name.
    Name(Symbol),
    /// A literal.
    Literal(Literal),
    /// `( e )`
    Paren(ExprId),
    /// `-e`, `e++`, …
    Unary(UnaryOp, ExprId),
    /// `a + b`, …
    Binary(BinaryOp, ExprId, ExprId),
    /// `a = b`, or with an operator `a += b`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `c ? a : b`
    Conditional(ExprId, ExprId, ExprId),
    /// `a, b`
    Comma(ExprId, ExprId),
    /// `a[i]`; the index is missing in `int[]`-like mistakes.
    Index(ExprId, ExprId),
    /// `a.name`
    Field(ExprId, Symbol),
    /// `f(a, b)`
    Call(Callee, List),
    /// `{ a, b }`
    Initializers(List),
}

/// A statement and its tokens.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stmt {
    /// Its kind.
    pub kind: StmtKind,
    /// The tokens it is made of.
    pub tokens: TokenSpan,
}

/// The condition of a loop: an expression, or a declaration with an initializer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the variants name the type")]
pub enum Condition {
    Expr(ExprId),
    Decl(DeclId),
}

/// The kind of a statement.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "the names are those of the statements")]
pub enum StmtKind {
    /// Could not be parsed; reported.
    Error,
    Empty,
    Block(List),
    Expr(ExprId),
    Decl(DeclId),
    If {
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    While {
        condition: Condition,
        body: StmtId,
    },
    DoWhile {
        body: StmtId,
        condition: ExprId,
    },
    For {
        init: StmtId,
        condition: Option<Condition>,
        step: Option<ExprId>,
        body: StmtId,
    },
    Switch {
        selector: ExprId,
        body: List,
    },
    Case(ExprId),
    Default,
    Break,
    Continue,
    Return(Option<ExprId>),
    Discard,
    Demote,
}

/// A declaration and its tokens.
#[derive(Clone, PartialEq, Debug)]
pub struct Decl {
    /// Its kind.
    pub kind: DeclKind,
    /// The tokens it is made of.
    pub tokens: TokenSpan,
}

/// A name and the token that spells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// The spelling.
    pub symbol: Symbol,
    /// The token.
    pub token: TokenIndex,
}

/// One pair of array brackets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayDim {
    /// The size, unless the brackets are empty.
    pub size: Option<ExprId>,
    /// The brackets.
    pub tokens: TokenSpan,
}

/// One identifier of `layout(…)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LayoutArg {
    /// Its name.
    pub name: Name,
    /// The value after `=`.
    pub value: Option<ExprId>,
}

/// One qualifier as written.
#[derive(Clone, PartialEq, Debug)]
pub struct QualifierSyntax {
    /// Its kind.
    pub kind: QualifierKind,
    /// Its tokens.
    pub tokens: TokenSpan,
}

/// The kind of a qualifier.
#[derive(Clone, PartialEq, Debug)]
pub enum QualifierKind {
    /// A single word, such as `uniform` or `highp`.
    Word(Keyword),
    /// `layout(…)`
    Layout(Vec<LayoutArg>),
    /// `subroutine(a, b)`
    Subroutine(Vec<Name>),
}

/// The base of a type specifier.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeSyntaxKind {
    /// No type written (`const x = 1;` is an error, `invariant x;` is not).
    Missing,
    /// A type keyword.
    Builtin(Type),
    /// A name.
    Named(Symbol),
    /// A structure defined in place.
    Struct(Box<StructSyntax>),
}

/// A type as written, with the brackets that follow it.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeSyntax {
    /// The base.
    pub kind: TypeSyntaxKind,
    /// Brackets after the type, outermost first.
    pub dims: Vec<ArrayDim>,
    /// The tokens of the type itself, without qualifiers.
    pub tokens: TokenSpan,
}

/// `struct name { members }`
#[derive(Clone, PartialEq, Debug)]
pub struct StructSyntax {
    /// Its name, unless anonymous.
    pub name: Option<Name>,
    /// Its members.
    pub members: Vec<MemberSyntax>,
}

/// One member declaration of a structure or block: a type and its declarators.
#[derive(Clone, PartialEq, Debug)]
pub struct MemberSyntax {
    /// The qualifiers.
    pub qualifiers: Vec<QualifierSyntax>,
    /// The type.
    pub ty: TypeSyntax,
    /// The declarators.
    pub declarators: Vec<Declarator>,
    /// Its tokens.
    pub tokens: TokenSpan,
}

/// A declared name with its brackets and initializer.
#[derive(Clone, PartialEq, Debug)]
pub struct Declarator {
    /// The name.
    pub name: Name,
    /// Brackets after the name, outermost first.
    pub dims: Vec<ArrayDim>,
    /// The initializer.
    pub init: Option<ExprId>,
    /// Its tokens.
    pub tokens: TokenSpan,
}

/// A function parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct ParamSyntax {
    /// The qualifiers.
    pub qualifiers: Vec<QualifierSyntax>,
    /// The type.
    pub ty: TypeSyntax,
    /// Its name, unless omitted.
    pub name: Option<Name>,
    /// Brackets after the name.
    pub dims: Vec<ArrayDim>,
    /// Its tokens.
    pub tokens: TokenSpan,
}

/// A function's head and, for a definition, body.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionSyntax {
    /// The qualifiers of the return type.
    pub qualifiers: Vec<QualifierSyntax>,
    /// The return type.
    pub result: TypeSyntax,
    /// The name.
    pub name: Name,
    /// The parameters; a lone `void` is not a parameter.
    pub params: Vec<ParamSyntax>,
    /// The body of a definition.
    pub body: Option<StmtId>,
}

/// An interface block.
#[derive(Clone, PartialEq, Debug)]
pub struct BlockSyntax {
    /// The qualifiers.
    pub qualifiers: Vec<QualifierSyntax>,
    /// The block's name.
    pub name: Name,
    /// The members.
    pub members: Vec<MemberSyntax>,
    /// The instance name.
    pub instance: Option<Name>,
    /// Brackets after the instance name.
    pub dims: Vec<ArrayDim>,
}

/// The kind of a declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum DeclKind {
    /// Could not be parsed; reported.
    Error,
    /// A stray semicolon.
    Empty,
    /// A function, declared or defined.
    Function(Box<FunctionSyntax>),
    /// Variables, or only a structure when there is no declarator.
    Variables {
        /// The qualifiers.
        qualifiers: Vec<QualifierSyntax>,
        /// The type.
        ty: TypeSyntax,
        /// The names.
        declarators: Vec<Declarator>,
    },
    /// `precision highp float;`
    Precision(Precision, TypeSyntax),
    /// An interface block.
    Block(Box<BlockSyntax>),
    /// Qualifiers alone (`layout(local_size_x = 1) in;`) or for names declared before (`invariant a, b;`).
    Qualifiers(Vec<QualifierSyntax>, Vec<Name>),
    /// A type used as a constructor, `float[2](…)`.
    TypeName(TypeSyntax),
}

/// Prefix and postfix operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are those of the operators")]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    BitNot,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

/// Infix operators without side effects of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are those of the operators")]
pub enum BinaryOp {
    Mul,
    Div,
    Mod,
    Add,
    Sub,
    Shl,
    Shr,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Xor,
    Or,
}
