//! What a list of draws says about each: how much is drawn, where to, and what changed since the draw before.

use std::collections::{BTreeSet, HashMap};

use api::{Command, CommandId, Library, Meaning, Operation, Role, constant as c, enums};
use trace::Call;

/// How much a call draws, as its arguments say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Amount {
    /// The sort of primitives; nothing where another call gives it.
    pub mode: Option<&'static str>,
    /// Vertices, or indices; nothing where they are in memory.
    pub count: Option<u64>,
    /// Whether indices are counted.
    pub indexed: bool,
    /// Instances, if the call gives them.
    pub instances: Option<u64>,
    /// Work groups of a dispatch.
    pub groups: Option<[u64; 3]>,
}

impl Amount {
    /// Returns what a call says.
    pub fn of(call: &Call<'_>, command: &Command) -> Amount {
        let plain = |name: &str| {
            let at = command.param(name).filter(|at| command.params[*at].memory.is_none())?;
            call.args.get(at).copied()
        };
        let mode = command.param("mode").and_then(|at| match command.params[at].value.meaning {
            Meaning::Enum(group) => enums::name(Library::Gl, group, call.args.get(at)?.cast_signed()),
            _ => None,
        });
        let groups = [plain("num_groups_x"), plain("num_groups_y"), plain("num_groups_z")];
        Amount {
            mode,
            count: plain("count"),
            indexed: command.param("indices").is_some(),
            instances: plain("instancecount").or_else(|| plain("primcount")),
            groups: match groups {
                [Some(x), Some(y), Some(z)] => Some([x, y, z]),
                _ => None,
            },
        }
    }
}

/// Follows what changes between the draws of each context.
#[derive(Default)]
pub struct Changes {
    /// By context, what changed since its last draw.
    changed: HashMap<u32, BTreeSet<&'static str>>,
    /// By context, the framebuffer that is drawn to.
    targets: HashMap<u32, u32>,
}

impl Changes {
    /// A context calls something that does not draw.
    pub fn follow(&mut self, context: u32, call: &Call<'_>, id: CommandId) {
        let command = api::command(id);
        if command.operation == Operation::BindFramebuffer
            && let [target, name, ..] = *call.args
            && target as u32 != c::GL_READ_FRAMEBUFFER
        {
            self.targets.insert(context, name as u32);
        }
        if let Some(what) = changes(command) {
            self.changed.entry(context).or_default().insert(what);
        }
    }

    /// Returns the framebuffer that a context draws to, 0 for its surface, and what changed since its last draw.
    pub fn at_draw(&mut self, context: u32) -> (u32, Vec<&'static str>) {
        let changed = self.changed.remove(&context).unwrap_or_default();
        (self.targets.get(&context).copied().unwrap_or(0), changed.into_iter().collect())
    }
}

/// Returns what a command changes, in a word.
fn changes(command: &Command) -> Option<&'static str> {
    Some(match (command.operation, command.role) {
        (Operation::UseProgram | Operation::BindAssemblyProgram | Operation::SetAssemblyProgram(_), _) => "program",
        (Operation::BindFramebuffer | Operation::Attach { .. } | Operation::ChooseBuffers { .. }, _) => "target",
        (_, Role::Clear) => "cleared",
        (_, Role::Transfer) => "contents",
        (Operation::Uniform | Operation::ProgramUniform, _) => "uniforms",
        (
            Operation::BindTexture
            | Operation::BindTextureUnit
            | Operation::BindImage
            | Operation::TextureParameter { .. }
            | Operation::SamplerParameter,
            _,
        ) => "textures",
        (
            Operation::BindVertexArray
            | Operation::VertexArray(_)
            | Operation::NamedVertexArray(_)
            | Operation::ClientArray(_)
            | Operation::ClientArrayOfUnit(_),
            _,
        ) => "vertices",
        (Operation::BindBuffer | Operation::BindBufferIndexed, _) => "buffers",
        (Operation::LoadMatrix | Operation::MultiplyMatrix | Operation::PopMatrix, _) => "matrices",
        (Operation::Set(_) | Operation::SetForUnit(_) | Operation::SetTransformed(_) | Operation::SetMaterial, _) => {
            "state"
        }
        _ => return None,
    })
}
