//! Calls of the shader's functions, each through a wrapper function.

use shader::ast::{Callee, DeclId, DeclKind, ExprId, ExprKind, FunctionSyntax, NodeId, QualifierKind, QualifierSyntax};
use shader::builtin::{Direction, Function, Keyword};
use shader::token::{TokenIndex, TokenSpan};
use shader::typed::{FunctionId, ScopeId, Target};
use shader::types::Type;

use super::Weaver;
use super::slots::{Phase, Slots};
use crate::variant::Refusal;

/// The name of an argument in a wrapper function, as a template.
pub(super) fn argument(index: usize) -> String {
    format!("$a{index}")
}

/// The name of the result in a wrapper function.
pub(super) const RESULT: &str = "$r";

impl Weaver<'_> {
    /// Puts a wrapper function between a call and its callee, with code before and after. Both are templates that may
    /// name arguments and, in `after`, the result.
    pub(super) fn through(&mut self, call: ExprId, before: &str, after: &str) -> Result<(), Refusal> {
        let ExprKind::Call(callee, arguments) = self.shader.tree.expr(call).kind else {
            return Err(Refusal::Wrong("this is not a call".to_owned()));
        };
        let (function, subroutine) = match self.shader.typed.expr(call).target {
            Target::Function(function) => (function, false),
            Target::Subroutine(function) => (function, true),
            Target::Builtin(function) => return self.through_builtin(call, function, before, after),
            _ => return Err(Refusal::Wrong("this calls no function".to_owned())),
        };
        let Some((declared, syntax)) = self.declaration(function) else {
            return Err(Refusal::Impossible(
                "a function without a declaration cannot be called through another".to_owned(),
            ));
        };
        let place = match callee {
            _ if !subroutine => Some(declared),
            Callee::Name(name) => self.global_declaration(name),
            Callee::Expr(element) => self.subroutine_array(element).and_then(|(name, _)| self.global_declaration(name)),
            Callee::Type(_) | Callee::Array(_) => None,
        };
        let Some(place) = place else {
            return Err(Refusal::Impossible("the subroutine of this call cannot be found".to_owned()));
        };
        let Some(framed) = self.frame_call(call, before, after) else { return Ok(()) };
        self.calls += 1;
        let name = self.frame.name(&format!("call{}", self.calls));
        let mut parameters: Vec<String> = Vec::new();
        let mut target = self.shader.preprocessed.symbols.name(self.shader.typed.function(function).name).to_owned();
        if subroutine {
            target = match callee {
                Callee::Expr(element) => {
                    let Some((symbol, _)) = self.subroutine_array(element) else {
                        return Err(Refusal::Impossible(
                            "a subroutine of an array of arrays cannot be called through another function".to_owned(),
                        ));
                    };
                    parameters.push("int $i".to_owned());
                    format!("{}[$i]", self.shader.preprocessed.symbols.name(symbol))
                }
                _ => self.spelled(TokenSpan {
                    first: self.shader.tree.expr(call).tokens.first,
                    last: self.shader.tree.expr(call).tokens.first,
                }),
            };
        }
        let clash = self
            .shader
            .preprocessed
            .expansions
            .iter()
            .skip(1)
            .any(|row| target.split('[').next() == Some(self.shader.preprocessed.symbols.name(row.name)));
        if clash {
            return Err(Refusal::Impossible(format!(
                "`{target}` is the name of a macro too, so calls of it cannot be followed"
            )));
        }
        for (index, param) in syntax.params.iter().enumerate() {
            let qualifiers = self.qualifiers(&param.qualifiers);
            let (ty, dims) = (self.spelled(param.ty.tokens), param.dims.iter().map(|dim| self.spelled(dim.tokens)));
            parameters.push(format!("{qualifiers}{ty} {}{}", argument(index), dims.collect::<String>()));
        }
        let given: Vec<String> = (0..syntax.params.len()).map(argument).collect();
        let result = format!("{}{}", self.qualifiers(&syntax.qualifiers), self.spelled(syntax.result.tokens));
        let given = given.join(", ");
        let (keep, give) = match self.shader.typed.function(function).result {
            Type::Void => (String::new(), ""),
            _ => (format!("{result} {RESULT} = "), " return $r;"),
        };
        let parameters = parameters.join(", ");
        let [enter, leave] = framed;
        let called = format!("{enter}{keep}{target}({given}); {leave}");
        let text = format!(" {result} {name}({parameters}) {{ {before} {called}{after}{give} }}");
        let text = self.frame.text(&text);
        self.rewrite.after(NodeId::Decl(place), &text);
        self.redirect(call, callee, &name, !self.shader.tree.exprs_of(arguments).is_empty());
        self.unfold_around(call);
        Ok(())
    }

    /// In a part of a recording: the code that enters the callee's frame of slots and leaves it, or `None` if nothing is
    /// recorded in and around the call.
    fn frame_call(&mut self, call: ExprId, before: &str, after: &str) -> Option<[String; 2]> {
        let callees = self.nodes.callees(self.shader, call);
        self.at_expr(call, Phase::In);
        let position = self.position;
        match &mut self.slots {
            Slots::Stream => Some([String::new(), String::new()]),
            Slots::Survey(survey) => {
                survey.call(position, call, callees);
                Some([String::new(), String::new()])
            }
            Slots::Part(part) => match (part.enters(&callees), part.call(call)) {
                (true, Some(slot)) => {
                    let mut enter = format!("`int $caller = $frame; if ($loop < 0) $frame += {slot}; ");
                    let mut leave = "$frame = $caller; ".to_owned();
                    // It may return from within a loop.
                    if part.has_loop(&callees) {
                        enter.push_str("`int $around = $loop; ");
                        leave.push_str("$loop = $around; ");
                    }
                    Some([enter, leave])
                }
                (true, None) => Some([String::new(), String::new()]),
                (false, _) => (!before.is_empty() || !after.is_empty()).then(|| [String::new(), String::new()]),
            },
        }
    }

    /// The same for a built-in function; its arguments are passed unchanged.
    fn through_builtin(&mut self, call: ExprId, function: &Function, before: &str, after: &str) -> Result<(), Refusal> {
        let ExprKind::Call(callee, list) = self.shader.tree.expr(call).kind else { return Ok(()) };
        if before.is_empty() && after.is_empty() && matches!(self.slots, Slots::Part(_)) {
            return Ok(());
        }
        let arguments = self.shader.tree.exprs_of(list).to_vec();
        let target = self.shader.preprocessed.symbols.name(function.name);
        let mut parameters = Vec::new();
        for (index, (param, &argument_id)) in function.params.iter().zip(&arguments).enumerate() {
            let kind = self.type_text(self.shader.typed.expr(argument_id).ty, self.precisions.of(argument_id));
            let direction = match param.direction {
                Direction::In => "",
                Direction::Out => "out ",
                Direction::InOut => "inout ",
            };
            if param.memory || param.interpolant {
                return Err(Refusal::Impossible(format!(
                    "`{target}` needs a variable as its argument and cannot be wrapped"
                )));
            }
            parameters.push(format!("{direction}{kind} {}", argument(index)));
        }
        self.calls += 1;
        let name = self.frame.name(&format!("call{}", self.calls));
        let given: Vec<String> = (0..arguments.len()).map(argument).collect();
        let (parameters, given) = (parameters.join(", "), given.join(", "));
        let ty = self.shader.typed.expr(call).ty;
        let kind = self.type_text(ty, self.precisions.of(call));
        let (keep, give) = match ty {
            Type::Void => (String::new(), ""),
            _ => (format!("{kind} {RESULT} = "), " return $r;"),
        };
        let text = format!("{kind} {name}({parameters}) {{ {before} {keep}{target}({given}); {after}{give} }}\n");
        let text = self.frame.text(&text);
        self.frame.declare(&text);
        self.redirect(call, callee, &name, !arguments.is_empty());
        self.unfold_around(call);
        Ok(())
    }

    /// Changes the name that a call refers to.
    fn redirect(&mut self, call: ExprId, callee: Callee, name: &str, has_arguments: bool) {
        let (node, tokens) = (NodeId::Expr(call), self.shader.tree.expr(call).tokens);
        let run = |first: TokenIndex, last: TokenIndex| TokenSpan { first, last };
        if let Callee::Expr(element) = callee
            && let Some((_, index)) = self.subroutine_array(element)
        {
            // `name [ index ] ( arguments )` becomes `other ( index , arguments )`.
            let (index, element) = (self.shader.tree.expr(index).tokens, self.shader.tree.expr(element).tokens);
            let before = run(tokens.first, TokenIndex(index.first.0 - 1));
            let behind = run(TokenIndex(index.last.0 + 1), TokenIndex(element.last.0 + 1));
            self.rewrite.replace_tokens(node, before, &format!("{name}("));
            self.rewrite.replace_tokens(node, behind, if has_arguments { ", " } else { " " });
        } else {
            self.rewrite.replace_tokens(node, run(tokens.first, tokens.first), name);
        }
    }

    /// The array that a subroutine is an element of, and the index.
    fn subroutine_array(&self, element: ExprId) -> Option<(shader::symbol::Symbol, ExprId)> {
        let ExprKind::Index(base, index) = self.shader.tree.expr(element).kind else { return None };
        match self.shader.tree.expr(base).kind {
            ExprKind::Name(name) => Some((name, index)),
            _ => None,
        }
    }

    /// The first declaration of a function.
    fn declaration(&self, function: FunctionId) -> Option<(DeclId, FunctionSyntax)> {
        let token = self.shader.typed.function(function).first_declared;
        self.shader.tree.items.iter().find_map(|&id| match &self.shader.tree.decl(id).kind {
            DeclKind::Function(syntax) if syntax.name.token == token => Some((id, (**syntax).clone())),
            _ => None,
        })
    }

    /// The declaration of a global variable.
    fn global_declaration(&self, name: shader::symbol::Symbol) -> Option<DeclId> {
        let mut variables = self.shader.typed.variables.iter();
        let variable = variables.find(|v| v.name == name && v.scope == ScopeId::GLOBAL)?;
        let token = variable.declared?;
        self.shader.tree.items.iter().copied().find(|&id| {
            let tokens = self.shader.tree.decl(id).tokens;
            tokens.first <= token && token <= tokens.last
        })
    }

    /// The source of qualifiers, without those for subroutines.
    fn qualifiers(&self, list: &[QualifierSyntax]) -> String {
        let kept = list.iter().filter(|qualifier| match &qualifier.kind {
            QualifierKind::Subroutine(_) | QualifierKind::Word(Keyword::Subroutine) => false,
            QualifierKind::Layout(args) => {
                args.iter().all(|arg| self.shader.preprocessed.symbols.name(arg.name.symbol) != "index")
            }
            QualifierKind::Word(_) => true,
        });
        kept.map(|qualifier| self.spelled(qualifier.tokens) + " ").collect()
    }
}
