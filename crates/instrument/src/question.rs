//! What can be asked.

use moment::Moment;
use serde::{Deserialize, Serialize};
use shader::Shader;
use shader::ast::NodeId;
use shader::version::Options;

/// One stage of a program: a shader without errors, and the options it was read with.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The shader.
    pub shader: &'a Shader,
    /// How it was read.
    pub options: &'a Options,
}

/// A question about one stage.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Question {
    /// What an expression comes to at a moment. One record, if the moment is reached.
    Value {
        /// When.
        moment: Moment,
        /// An expression in the scope of the moment, evaluated just before its statement; `None` for the value of the
        /// site itself, which must be an expression, as it is evaluated there.
        expression: Option<String>,
    },
    /// What happens in an invocation from beginning to end: markers and values in the order of execution.
    Recording {
        /// How much of it.
        detail: Detail,
    },
    /// The same, with every expression giving what another device has measured of it, so that each operation is computed
    /// from measured operands. The stream of that device's recording is given with the variant: by way of a storage block
    /// in the first half of a region, behind the identity, and the answer comes in the second half, without one; in memory
    /// in the arrays of [`Controls::given`](crate::Controls::given), whose first integer is 0 if there is none.
    Recomputation {
        /// How much of it.
        detail: Detail,
    },
    /// How often a place is reached with a condition that holds, whichever way leads there. One record with the number,
    /// then the moment of the first time as far as one record can say it. With [`Scope::At`], by way of a storage block,
    /// those in which it never is do not answer.
    Condition {
        /// A statement, or an expression.
        site: NodeId,
        /// An expression of type `bool` in the scope of the site; `None` if being there is enough.
        condition: Option<String>,
    },
    /// Everything the stage reads of its inputs, at the beginning; for fragments also the derivatives of varying inputs.
    LiveIns,
    /// What the stage leaves in its outputs: at its end, and where a fragment is thrown away; of a geometry shader at
    /// every `EmitVertex`. Of fragments also where they are and which side they show.
    Outputs,
    /// What the stage reads of its inputs, and what the stage gives out at the end, or with every vertex that it emits; of
    /// a fragment also where it lies and which way it faces.
    Ends,
    /// How often a loop iterated, or how often each way of a branch was taken, in all.
    Profile {
        /// A loop, `if`, `switch` or `?:`.
        site: NodeId,
    },
}

/// How much of a run is recorded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Detail {
    /// Markers, what is assigned, which way branches go, arguments and results of calls.
    Statements,
    /// The value of every expression too.
    Expressions,
}

/// Whose answers are wanted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Scope {
    /// Those of one place: a pixel, a vertex, a primitive, a compute invocation. There may be several, such as the
    /// fragments of several primitives of a draw at one pixel.
    One,
    /// All invocations' of a draw or dispatch; where several fragments meet at a pixel, that of the one that stays.
    All,
    /// Those of every invocation that runs and is where the pick says, which may be anywhere: each fragment of a draw
    /// at a pixel, however many, in the order in which they began. Where fragments have no storage block, only those
    /// that stay can answer; [`crate::Transport::answers_for_every`] tells.
    At,
    /// All fragments' of a block of the target, together ([`crate::weave_blocks`]).
    Blocks,
}
