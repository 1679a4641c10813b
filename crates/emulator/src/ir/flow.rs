//! Where diverged lanes reconverge: immediate post-dominators of a function's graph.

use super::{Block, BlockId, Terminator};

/// Fills in [`Block::meets`] of every block.
///
/// The algorithm is Cooper, Harvey and Kennedy's, on the reversed graph with one exit after every return.
pub fn find_meeting_points(blocks: &mut [Block]) {
    let count = blocks.len();
    let exit = count;
    let order = reverse_postorder(blocks);
    let mut rank = vec![usize::MAX; count + 1];
    rank[exit] = 0;
    // On the reversed graph a block's rank is its position in the postorder of the forward graph.
    for (place, &block) in order.iter().rev().enumerate() {
        rank[block] = place + 1;
    }
    let mut meets: Vec<Option<usize>> = vec![None; count + 1];
    meets[exit] = Some(exit);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev() {
            let mut best: Option<usize> = None;
            for next in successors(&blocks[block], exit) {
                if meets[next].is_none() {
                    continue;
                }
                best = Some(match best {
                    None => next,
                    Some(other) => intersect(&meets, &rank, other, next),
                });
            }
            if best.is_some() && meets[block] != best {
                meets[block] = best;
                changed = true;
            }
        }
    }
    for (index, block) in blocks.iter_mut().enumerate() {
        block.meets = meets[index].filter(|&m| m != exit).map(|m| BlockId(m as u32));
    }
}

fn intersect(meets: &[Option<usize>], rank: &[usize], a: usize, b: usize) -> usize {
    let (mut a, mut b) = (a, b);
    while a != b {
        // A missing entry means an endless loop that never reaches the exit; the exit stands in for it.
        while rank[a] > rank[b] {
            a = meets[a].unwrap_or(rank.len() - 1);
        }
        while rank[b] > rank[a] {
            b = meets[b].unwrap_or(rank.len() - 1);
        }
    }
    a
}

/// Returns the blocks that may come after a block; the exit after a return.
fn successors(block: &Block, exit: usize) -> impl Iterator<Item = usize> {
    let returns = (block.terminator == Terminator::Return).then_some(exit);
    block.terminator.successors().map(|to| to.0 as usize).chain(returns)
}

/// Returns the blocks reachable from the first in reverse postorder. It keeps a stack of its own, because graphs are as
/// deep as programs are long.
fn reverse_postorder(blocks: &[Block]) -> Vec<usize> {
    let exit = blocks.len();
    let mut seen = vec![false; blocks.len()];
    let mut order = Vec::with_capacity(blocks.len());
    let mut stack = vec![(0usize, false)];
    while let Some((block, done)) = stack.pop() {
        if done {
            order.push(block);
            continue;
        }
        if block == exit || std::mem::replace(&mut seen[block], true) {
            continue;
        }
        stack.push((block, true));
        stack.extend(successors(&blocks[block], exit).map(|next| (next, false)));
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::super::Register;
    use super::*;

    fn graph(ends: &[Terminator]) -> Vec<Option<u32>> {
        let mut blocks: Vec<Block> = ends
            .iter()
            .map(|&terminator| Block {
                instructions: Vec::new(),
                origins: Vec::new(),
                notes: Vec::new(),
                terminator,
                meets: None,
            })
            .collect();
        find_meeting_points(&mut blocks);
        blocks.iter().map(|b| b.meets.map(|m| m.0)).collect()
    }

    fn branch(yes: u32, no: u32) -> Terminator {
        Terminator::Branch(Register(0), BlockId(yes), BlockId(no))
    }

    fn jump(to: u32) -> Terminator {
        Terminator::Jump(BlockId(to))
    }

    #[test]
    fn a_diamond_reconverges_at_its_end() {
        assert_eq!(graph(&[branch(1, 2), jump(3), jump(3), Terminator::Return]), [Some(3), Some(3), Some(3), None]);
    }

    #[test]
    fn an_early_return_reconverges_nowhere() {
        assert_eq!(graph(&[branch(1, 2), Terminator::Return, Terminator::Return]), [None, None, None]);
    }

    #[test]
    fn a_loop_reconverges_after_itself() {
        // 0 -> 1 (header) -> 2 (body, may break to 4) -> 3 -> 1; 4 exit
        let ends = [jump(1), branch(2, 4), branch(4, 3), jump(1), Terminator::Return];
        assert_eq!(graph(&ends), [Some(1), Some(4), Some(4), Some(1), None]);
    }

    #[test]
    fn an_endless_loop_is_no_problem() {
        assert_eq!(graph(&[branch(1, 2), jump(1), Terminator::Return])[0], Some(2));
    }
}
