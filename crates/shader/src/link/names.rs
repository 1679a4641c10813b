//! Descriptions of other shaders' declarations for diagnostics.

use super::linker::Linker;
use crate::qualifier::Storage;
use crate::source::Span;
use crate::token::TokenIndex;
use crate::types::Type;
use crate::version::Stage;

/// Longer declarations are truncated when quoted.
const MAX_QUOTE: usize = 100;

impl Linker<'_> {
    /// The name of a type; an unsized outermost dimension gets the given size.
    pub(super) fn type_name(&self, shader: usize, ty: Type, implied: Option<u32>) -> String {
        let types = self.types(shader);
        let Some((array, size)) = types.as_array(ty).zip(implied) else {
            return types.name(&self.shaders[shader].preprocessed.symbols, ty);
        };
        // The unsized dimension comes first, so the element's own brackets follow it.
        let element = types.name(&self.shaders[shader].preprocessed.symbols, array.element);
        let size = array.size.unwrap_or(size);
        match element.find('[') {
            Some(bracket) => format!("{}[{size}]{}", &element[..bracket], &element[bracket..]),
            None => format!("{element}[{size}]"),
        }
    }

    /// `vertex shader`, with a number if there are several.
    pub(super) fn shader_name(&self, shader: usize) -> String {
        let stage = self.stage_of(shader);
        let same = self.shaders.iter().filter(|s| s.stage == stage).count();
        if same > 1 {
            let number = self.shaders[..=shader].iter().filter(|s| s.stage == stage).count();
            format!("{} shader {number}", stage.name())
        } else {
            format!("{} shader", stage.name())
        }
    }

    /// A note about a declaration elsewhere: shader, line and text.
    pub(super) fn place(&self, shader: usize, token: Option<TokenIndex>) -> String {
        let name = self.shader_name(shader);
        let Some(token) = token else { return format!("in the {name} it has its built-in declaration") };
        let source = self.shaders[shader];
        let span = self.token_span(shader, token);
        let line = source.preprocessed.presumed(&source.sources, span.start).line;
        format!("{name}, line {line}: `{}`", self.quote(shader, token, span))
    }

    /// The declaration that contains a token, on one line.
    fn quote(&self, shader: usize, token: TokenIndex, name: Span) -> String {
        let source = self.shaders[shader];
        let items = &source.tree.items;
        let next = items.partition_point(|&item| source.tree.decl(item).tokens.first <= token);
        let whole = next.checked_sub(1).map(|i| source.preprocessed.span(source.tree.decl(items[i]).tokens).0);
        let span = whole.filter(|w| w.start <= name.start && name.end <= w.end).unwrap_or(name);
        let text = source.sources.slice(span);
        let cut: String = text.chars().take(MAX_QUOTE * 4).collect();
        let mut line = cut.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > MAX_QUOTE {
            line = line.chars().take(MAX_QUOTE).collect::<String>() + "…";
        } else if cut.len() < text.len() {
            line.push('…');
        }
        line
    }

    /// The role of a variable in its stage: `uniform`, `vertex shader output`.
    pub(super) fn role(&self, storage: Storage, stage: Stage) -> String {
        match storage {
            Storage::Uniform => "uniform".to_owned(),
            Storage::Buffer => "buffer variable".to_owned(),
            Storage::In => format!("{} shader input", stage.name()),
            Storage::Out | Storage::InOut => format!("{} shader output", stage.name()),
            Storage::Const => "constant".to_owned(),
            Storage::Shared => "shared variable".to_owned(),
            Storage::Plain => "global variable".to_owned(),
        }
    }
}
