//! Compares expectations with what the front end reports.

use shader::Shader;
use shader::ast::{ExprId, NodeId};
use shader::diagnostic::{Diagnostic, Severity};
use shader::source::{Pos, Span};
use shader::token::TokenSpan;
use shader::typed::{VarId, Variable};

use crate::directive::{Directive, END, Expectation, FileTest, Visible};

/// Returns the failed expectations, one sentence each.
pub fn judge(file: &FileTest, shader: &Shader) -> Vec<String> {
    let mut failures = Vec::new();
    let mut expected = vec![false; shader.diagnostics.len()];
    for directive in &file.directives {
        let wrong = match &directive.kind {
            Expectation::Error(code, text) => finding(shader, directive, Severity::Error, code, text, &mut expected),
            Expectation::Warning(code, text) => {
                finding(shader, directive, Severity::Warning, code, text, &mut expected)
            }
            Expectation::Note(text) => note(shader, directive, text),
            Expectation::Label(text) => label(shader, directive, text),
            Expectation::Via(macros) => via(shader, directive, macros),
            Expectation::Type(expression, ty) => equal(expression, ty, &types(shader, directive.line, expression)),
            Expectation::Value(expression, value) => {
                equal(expression, value, &values(shader, directive.line, expression))
            }
            Expectation::Scope(names) => scope(shader, directive.line, names),
            Expectation::Line(line, string) => presumed(shader, directive.line, *line, *string),
            // Errors are reported below.
            Expectation::Accepted => None,
        };
        failures.extend(wrong.map(|wrong| format!("line {}: {wrong}", directive.at)));
    }
    for (diagnostic, expected) in shader.diagnostics.iter().zip(expected) {
        if !expected && diagnostic.severity == Severity::Error {
            let place = line_of(shader, diagnostic);
            failures.push(format!("line {place}: unexpected error: {} \"{}\"", diagnostic.code, diagnostic.message));
        }
    }
    failures
}

/// Returns the physical line of a diagnostic.
pub fn line_of(shader: &Shader, diagnostic: &Diagnostic) -> u32 {
    diagnostic.labels.first().map_or(1, |label| shader.sources.locate(label.span.start).line)
}

/// Returns whether a directive refers to a line.
fn refers_to(directive: &Directive, line: u32) -> bool {
    directive.line == line || directive.line == END && line >= directive.at
}

fn finding(
    shader: &Shader,
    directive: &Directive,
    severity: Severity,
    code: &str,
    text: &str,
    expected: &mut [bool],
) -> Option<String> {
    let fits = |d: &Diagnostic| {
        refers_to(directive, line_of(shader, d)) && d.severity == severity && d.code == code && d.message.contains(text)
    };
    // Two diagnostics on one line need two directives.
    match shader.diagnostics.iter().zip(expected.iter()).position(|(d, taken)| !taken && fits(d)) {
        Some(index) => {
            expected[index] = true;
            None
        }
        None => {
            let there = here(shader, directive).map(|d| format!("{} \"{}\"", d.code, d.message));
            Some(format!("`{code} \"{text}\"` was not reported; found {:?}", there.collect::<Vec<_>>()))
        }
    }
}

fn here<'a>(shader: &'a Shader, directive: &'a Directive) -> impl Iterator<Item = &'a Diagnostic> {
    shader.diagnostics.iter().filter(|d| refers_to(directive, line_of(shader, d)))
}

fn note(shader: &Shader, directive: &Directive, text: &str) -> Option<String> {
    let notes: Vec<&str> = here(shader, directive).flat_map(|d| d.notes.iter().map(String::as_str)).collect();
    let found = notes.iter().any(|note| note.contains(text));
    (!found).then(|| format!("no note contains \"{text}\"; found {notes:?}"))
}

fn label(shader: &Shader, directive: &Directive, text: &str) -> Option<String> {
    let labels = shader.diagnostics.iter().flat_map(|d| &d.labels);
    let on_line = labels.filter(|l| refers_to(directive, shader.sources.locate(l.span.start).line));
    let texts: Vec<&str> = on_line.map(|l| l.text.as_str()).collect();
    let found = texts.iter().any(|label| label.contains(text));
    (!found).then(|| format!("no label contains \"{text}\"; found {texts:?}"))
}

fn via(shader: &Shader, directive: &Directive, macros: &[String]) -> Option<String> {
    let input = &shader.preprocessed;
    let chains: Vec<Vec<&str>> = here(shader, directive)
        .filter_map(|d| d.labels.first())
        .map(|label| input.chain(label.expansion).map(|id| input.symbols.name(input.expansion(id).name)).collect())
        .collect();
    let found = chains.iter().any(|chain| chain == macros);
    (!found).then(|| format!("nothing came through {macros:?}; found {chains:?}"))
}

fn equal(expression: &str, wanted: &str, found: &[String]) -> Option<String> {
    if found.is_empty() {
        return Some(format!("there is no expression or variable `{expression}` with a result on this line"));
    }
    found.iter().any(|f| f != wanted).then(|| format!("`{expression}` should be {wanted}, but is {}", found.join(", ")))
}

fn types(shader: &Shader, line: u32, expression: &str) -> Vec<String> {
    let nodes = nodes(shader, line, expression);
    let of_exprs = nodes.into_iter().filter_map(|node| shader.type_of(node)).map(|ty| shader.type_name(ty)).collect();
    or_variable(of_exprs, shader, line, expression, |v| Some(shader.type_name(v.ty)))
}

fn values(shader: &Shader, line: u32, expression: &str) -> Vec<String> {
    let text = |constant: Option<_>| constant.map_or("not constant".to_owned(), |c| shader.constant_text(c));
    let nodes = nodes(shader, line, expression);
    let of_exprs = nodes.into_iter().map(|node| text(shader.constant_of(node))).collect();
    or_variable(of_exprs, shader, line, expression, |v| Some(text(v.constant)))
}

fn or_variable(
    found: Vec<String>,
    shader: &Shader,
    line: u32,
    name: &str,
    answer: impl Fn(&Variable) -> Option<String>,
) -> Vec<String> {
    if !found.is_empty() {
        return found;
    }
    let on_line = |id: VarId| shader.definition(id).is_some_and(|span| shader.sources.locate(span.start).line == line);
    let variables = shader.typed.variables.iter().enumerate();
    variables
        .filter(|(index, v)| shader.preprocessed.symbols.name(v.name) == name && on_line(VarId(*index as u32)))
        .filter_map(|(_, v)| answer(v))
        .collect()
}

/// Returns expressions that start on a line and have this text, ignoring white space; of nested ones the outermost.
fn nodes(shader: &Shader, line: u32, text: &str) -> Vec<NodeId> {
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    let wanted = squeeze(text);
    let fits =
        |span: Span| shader.sources.locate(span.start).line == line && squeeze(shader.sources.slice(span)) == wanted;
    let all = (0..shader.tree.exprs.len() as u32).map(|id| NodeId::Expr(ExprId(id)));
    let found: Vec<NodeId> = all.filter(|&node| fits(shader.span(node).0) || fits(shader.written(node))).collect();
    let inside = |a: TokenSpan, b: TokenSpan| a != b && b.first <= a.first && a.last <= b.last;
    let outermost = |node: &&NodeId| {
        let tokens = shader.tree.tokens(**node);
        !found.iter().any(|other| inside(tokens, shader.tree.tokens(*other)))
    };
    found.iter().filter(outermost).copied().collect()
}

fn scope(shader: &Shader, line: u32, names: &[Visible]) -> Option<String> {
    let span = shader.sources.line_span(0, line);
    let text = shader.sources.slice(span);
    let indent = (text.len() - text.trim_start().len()) as u32;
    let Some(node) = shader.node_at(Pos(span.start.0 + indent)) else {
        return Some("there is no node at the start of this line".to_owned());
    };
    let visible: Vec<(&str, Option<u32>)> = shader
        .visible_variables(node)
        .into_iter()
        .map(|id| {
            let name = shader.preprocessed.symbols.name(shader.typed.variable(id).name);
            (name, shader.definition(id).map(|span| shader.sources.locate(span.start).line))
        })
        .collect();
    for wanted in names {
        let found = visible.iter().find(|(name, _)| *name == wanted.name);
        match (found, wanted.expected) {
            (None, true) => return Some(format!("`{}` is not visible; visible are {visible:?}", wanted.name)),
            (Some(_), false) => return Some(format!("`{}` is visible", wanted.name)),
            (Some((_, line)), true) if wanted.line.is_some() && *line != wanted.line => {
                return Some(format!("`{}` is that of line {line:?}", wanted.name));
            }
            _ => {}
        }
    }
    None
}

fn presumed(shader: &Shader, at: u32, line: u32, string: u32) -> Option<String> {
    let said = shader.preprocessed.presumed(&shader.sources, shader.sources.line_span(0, at).start);
    let right = (said.line, said.string) == (line, string);
    (!right).then(|| format!("`#line` makes this line {} of string {}", said.line, said.string))
}
