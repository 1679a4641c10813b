//! Rewrites a shader so that its statements come from macros.
//!
//! Few shaders have macros that produce whole expressions, let alone nested macros or expressions that start in one and
//! end in another. So they are inserted.

use shader::Shader;
use shader::ast::{NodeId, StmtId, StmtKind};
use shader::edit::{LineRules, Rewrite};
use shader::token::{ExpansionId, Token, TokenKind};

use crate::corpus::case::Case;
use crate::corpus::front_end;

/// Returns a case in which every plain statement comes from one or more macros. Shaders that we reject are unchanged.
pub fn through_macros(case: &Case) -> Case {
    let mut case = case.clone();
    for index in 0..case.shaders.len() {
        let source = &case.shaders[index];
        let shader = shader::analyze(&source.strings, &front_end::options(&case, source.stage));
        if !shader.has_errors()
            && let Some(strings) = moved(&shader)
        {
            case.shaders[index].strings = strings;
        }
    }
    case
}

fn moved(shader: &Shader) -> Option<Vec<String>> {
    let mut rewrite = Rewrite::new(shader);
    // By global declaration, the definitions to insert before it.
    let mut definitions = vec![String::new(); shader.tree.items.len()];
    for (index, stmt) in shader.tree.stmts.iter().enumerate() {
        if !matches!(stmt.kind, StmtKind::Expr(_) | StmtKind::Decl(_) | StmtKind::Return(_)) {
            continue;
        }
        let tokens = &shader.preprocessed.tokens[stmt.tokens.first.0 as usize..=stmt.tokens.last.0 as usize];
        // A macro's own tokens would be read as if the author had written them; those are left in place.
        if tokens.iter().any(|t| t.expansion != ExpansionId::NONE) {
            continue;
        }
        let item = shader.tree.items.partition_point(|id| shader.tree.decl(*id).tokens.last < stmt.tokens.first);
        let Some(define) = definitions.get_mut(item) else { continue };
        let words: Vec<String> = tokens.iter().map(|token| spelled(shader, token)).collect();
        let (call, text) = spread(index, &words);
        define.push_str(&text);
        rewrite.replace(NodeId::Stmt(StmtId(index as u32)), &call);
    }
    for (item, text) in shader.tree.items.iter().zip(&definitions).filter(|(_, text)| !text.is_empty()) {
        rewrite.before(NodeId::Decl(*item), text);
    }
    let rules = LineRules { version: shader.preprocessed.version, per_string: false };
    rewrite.edits().ok()?.apply_keeping_lines(&shader.sources, rules).ok().map(|edited| edited.strings)
}

/// Returns a statement's macros, and the call that replaces it. The form depends on the number: one macro; one whose
/// argument is most of the statement; two, each with a part; or one that calls another.
fn spread(index: usize, words: &[String]) -> (String, String) {
    let name = format!("SPANS{index}");
    let (head, tail) = words.split_at(words.len() / 2);
    let (body, tail) = (words.join(" "), tail.join(" "));
    match index % 4 {
        0 => (name.clone(), format!("\n#define {name} {body}\n")),
        // An argument may contain commas only between parentheses.
        1 if !words.iter().any(|word| word == ",") => {
            (format!("{name}({body})"), format!("\n#define {name}(SPANS) SPANS\n"))
        }
        2 => (format!("{name}A {name}B"), format!("\n#define {name}A {}\n#define {name}B {tail}\n", head.join(" "))),
        _ => {
            let inner = format!("\n#define {name}A(SPANS) SPANS {tail}\n");
            (format!("{name}()"), format!("{inner}\n#define {name}() {}\n", nested(&name, head)))
        }
    }
}

/// Returns a call of the macro `A` with the words as its argument; the words themselves if they cannot be an argument.
fn nested(name: &str, head: &[String]) -> String {
    let mut depth = 0usize;
    let fits = head.iter().all(|word| {
        match word.as_str() {
            "(" => depth += 1,
            ")" if depth == 0 => return false,
            ")" => depth -= 1,
            "," if depth == 0 => return false,
            _ => {}
        }
        true
    });
    if fits && depth == 0 {
        return format!("{name}A({})", head.join(" "));
    }
    format!("{} {name}A()", head.join(" "))
}

fn spelled(shader: &Shader, token: &Token) -> String {
    match token.kind {
        TokenKind::Word | TokenKind::Number => shader.preprocessed.symbols.name(token.symbol).to_owned(),
        kind => kind.text().to_owned(),
    }
}
