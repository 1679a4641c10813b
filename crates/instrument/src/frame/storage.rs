//! Streams written to a storage block as they come.

use shader::ast::{NodeId, StmtKind};
use shader::edit::Rewrite;
use shader::qualifier::Storage;
use shader::token::TokenSpan;

use super::Frame;
use crate::variant::Refusal;

/// The block and what writes to it. The numbers are those of [`crate::stream`].
const TEXT: &str = "\
uniform `int $on;
uniform `ivec4 $pick;
layout(std430, binding = BINDING) buffer $block { `int $count; `int $room; `int $words[]; };
bool $live = false, $mine = false, $reached = false, $discarded = false;
`int $first = 0, $at = 0;
void $word(`int $w) { if ($at < $room - 4) $words[$first + $at] = $w; $at++; }
void $note(`int $site) { if ($live) $word($site); }
void $reach() { if ($live) $reached = true; }
bool $wanted(`int $a, `int $b) { return $a < 0 || $a == $b; }
void $begin(`ivec4 $who) {
    if ($on != 0 && $wanted($pick.x, $who.x) && $wanted($pick.y, $who.y) && $wanted($pick.z, $who.z) && $wanted($pick.w, $who.w)) {
        `int $n = atomicAdd($count, 1);
        if ($room >= 6 && $n < $words.length() / $room) {
            $first = $n * $room;
            $words[$first] = $who.x;
            $words[$first + 1] = $who.y;
            $words[$first + 2] = $who.z;
            $words[$first + 3] = $who.w;
            $first += 4;
            $at = 2;
            $live = true;
            $mine = true;
        }
    }
}
void $end() {
    if ($mine) {
        $words[$first] = $at;
        $words[$first + 1] = 1 + ($reached ? 2 : 0) + ($discarded ? 4 : 0);
    }
}
void $discard() { $discarded = true; $end(); $live = false; }
";

impl Frame<'_> {
    pub(super) fn open_storage(&mut self) -> Result<(), Refusal> {
        let stage = self.language.stage;
        let blocks = self.subject.shader.typed.blocks.iter();
        let used = blocks.filter(|block| block.qualifiers.storage == Storage::Buffer).count() as u32;
        if !self.device.has_storage(stage, used) {
            let name = stage.name();
            return Err(Refusal::Impossible(format!("the device has no storage block left for a {name} shader")));
        }
        if !self.language.version.at_least(430, 310) {
            let version = self.language.version;
            return Err(Refusal::Impossible(format!("{version} has no storage blocks")));
        }
        let binding = self.binding().unwrap_or(0);
        self.add(&TEXT.replace("BINDING", &binding.to_string()));
        Ok(())
    }

    /// Where the block is bound.
    pub(super) fn binding(&self) -> Option<u32> {
        let blocks = self.subject.shader.typed.blocks.iter();
        let used: Vec<u32> = blocks.filter_map(|block| block.qualifiers.layout.binding).collect();
        (0..self.device.storage_bindings).rev().find(|binding| !used.contains(binding))
    }

    /// What a fragment knows must be out before it is thrown away.
    pub(super) fn prepare_storage(&self, rewrite: &mut Rewrite<'_>) {
        let shader = self.subject.shader;
        for id in shader.statements() {
            if matches!(shader.tree.stmt(id).kind, StmtKind::Discard | StmtKind::Demote) {
                // Inside whatever a weaver puts around the statement.
                let (node, tokens) = (NodeId::Stmt(id), shader.tree.stmt(id).tokens);
                let run = |at| TokenSpan { first: at, last: at };
                rewrite.wrap_tokens(node, run(tokens.first), &format!("{{ {}(); ", self.name("discard")), "");
                rewrite.wrap_tokens(node, run(tokens.last), "", " }");
            }
        }
    }
}
