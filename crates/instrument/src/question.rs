//! Questions.

use std::collections::BTreeSet;
use std::sync::Arc;

use moment::Moment;
use serde::{Deserialize, Serialize};
use shader::Shader;
use shader::ast::NodeId;
use shader::version::Options;

use crate::varyings::Written;

/// One stage of a program: a shader without errors, and the options it was parsed with.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The shader.
    pub shader: &'a Shader,
    /// The options it was parsed with.
    pub options: &'a Options,
    /// For a fragment shader, the parts of its varyings that the vertex shader writes; `None` counts as all.
    pub written: Option<&'a Written>,
}

/// A question about one stage.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Question {
    /// The value of an expression at a moment. One record, if the moment is reached.
    Value {
        /// The moment.
        moment: Moment,
        /// An expression in the scope of the moment, evaluated just before its statement; `None` for the value of the
        /// site itself, which must be an expression, where it is evaluated.
        expression: Option<String>,
    },
    /// Everything that happens in an invocation: markers and values in the order of execution.
    Recording {
        /// The level of detail.
        detail: Detail,
    },
    /// The records of a range of slots of the same, for one invocation: [`crate::parts`] returns the ranges. A compiler
    /// takes as long for one of them as for the shader itself, and minutes for a long recording at once.
    Part {
        /// The level of detail.
        detail: Detail,
        /// The first slot, and the one after the last.
        slots: [u32; 2],
        /// The first site, and the one after the last, if the slots are those of one loop and its records are divided.
        sites: Option<[u32; 2]>,
    },
    /// What [`Question::Recording`] asks for, with every expression returning the value that another device measured for it, so that each operation
    /// is computed from measured operands. The stream of that device's recording is passed to the variant: in a storage
    /// block, it is in the first half of a region, after the identity, and the answer is in the second half, without an
    /// identity; in memory, it is in the arrays of [`Controls::given`](crate::Controls::given), whose first integer is
    /// 0 if there is none.
    Recomputation {
        /// The level of detail.
        detail: Detail,
    },
    /// How often a site is reached with a condition that holds, by any path. One record with the number, then as much
    /// as one record can hold of the first moment. With [`Scope::At`] and a storage block, invocations in which it
    /// never holds do not answer.
    Condition {
        /// A statement, or an expression.
        site: NodeId,
        /// An expression of type `bool` in the scope of the site; `None` if reaching it suffices.
        condition: Option<String>,
    },
    /// All inputs that the stage reads, at its beginning; for fragments also the derivatives of varying inputs.
    LiveIns,
    /// The outputs of the stage: at its end, and where a fragment is discarded; for a geometry shader at every
    /// `EmitVertex`. For fragments also their position and facing.
    Outputs,
    /// The inputs that the stage reads, and its outputs at the end or with every emitted vertex; for a fragment also
    /// its position and facing.
    Ends,
    /// The total number of iterations of a loop, or how often each way of a branch was taken.
    Profile {
        /// A loop, `if`, `switch` or `?:`.
        site: NodeId,
    },
}

/// The level of detail of a recording.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Detail {
    /// Markers, assigned values, conditions of branches, arguments and results of calls.
    Statements,
    /// The value of every expression as well.
    Expressions,
    /// [`Detail::Statements`], and the value of every expression in these statements, declarations and expressions.
    ExpressionsIn(Arc<BTreeSet<NodeId>>),
}

/// The invocations that answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Scope {
    /// Those of one pixel, vertex, primitive or compute invocation. There may be several, such as the fragments of
    /// several primitives of a draw at one pixel.
    One,
    /// All invocations of a draw or dispatch; if several fragments are drawn to a pixel, the one that survives.
    All,
    /// Every invocation that runs and matches the pick, which may match any: each fragment of a draw at a pixel,
    /// however many, in the order in which they started. If fragments have no storage block, only those that survive
    /// can answer; see [`crate::Transport::answers_for_every`].
    At,
    /// All fragments of a block of the target, combined ([`crate::weave_blocks`]).
    Blocks,
}
