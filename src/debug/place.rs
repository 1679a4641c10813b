//! The invocation to begin with.

use anyhow::{Context, bail};
use session::{Choice, Session, Stage, parse};

use crate::state::place::CommandRef;

/// Options that say which invocation is meant.
#[derive(Clone, Default, clap::Args)]
pub struct InvocationArgs {
    /// Debug a pixel, counted from the lower left.
    #[arg(long, value_name = "X,Y", value_parser = parse::pixel, allow_hyphen_values = true)]
    pub pixel: Option<[u32; 2]>,
    /// Choose a frame, from 0; the last without it.
    #[arg(long, value_name = "N", conflicts_with = "at")]
    pub frame: Option<usize>,
    /// Choose a draw or dispatch by the number of its command; frame:N for the last one of a frame.
    #[arg(long, value_name = "CMD", allow_hyphen_values = true)]
    pub at: Option<CommandRef>,
    /// Choose a stage: fragment, vertex, geometry, tesscontrol, tessevaluation or compute.
    #[arg(long, value_name = "STAGE", requires = "at")]
    pub stage: Option<Stage>,
    /// Choose a vertex, primitive or compute invocation of that stage: one number, or three as X,Y,Z.
    #[arg(long, value_name = "N", requires = "at", conflicts_with = "pixel", value_parser = parse::invocation)]
    pub index: Option<[u32; 3]>,
}

impl InvocationArgs {
    /// Returns the invocation that is meant; `None` if none is named.
    ///
    /// # Errors
    /// When the options do not name one, or a frame that the trace does not have.
    pub fn choice(&self, session: &Session) -> anyhow::Result<Option<Choice>> {
        let frames = session.frames().len();
        if let Some(frame) = self.frame.filter(|frame| *frame >= frames) {
            bail!("{}", trace::no_such_frame(frame as u64, frames as u64));
        }
        let at = self.at.map(|at| at.draw(session.trace().reader())).transpose()?;
        Ok(Some(match (at, self.pixel, self.index) {
            (None, None, _) => return Ok(None),
            (None, Some([x, y]), _) => Choice::Pixel { frame: self.frame, x, y },
            (Some(command), Some([x, y]), _) => match self.stage {
                None | Some(Stage::Fragment) => Choice::fragment(command, x, y),
                Some(other) => bail!("--pixel is for fragments; say which {} invocation with --index", other.name()),
            },
            (Some(command), None, Some(id)) => of_stage(command, self.stage.unwrap_or(Stage::Vertex), id),
            (Some(_), None, None) => bail!("say which invocation of the draw: --pixel X,Y, or --stage and --index N"),
        }))
    }
}

/// Returns an invocation of a stage by its number.
pub fn of_stage(command: u64, stage: Stage, id: [u32; 3]) -> Choice {
    match stage {
        Stage::Fragment => Choice::fragment(command, id[0], id[1]),
        Stage::Vertex => Choice::vertex(command, id[0]),
        Stage::Compute => Choice::thread(command, id),
        Stage::Geometry | Stage::TessControl | Stage::TessEvaluation => {
            Choice::Primitive { command, stage: stage.name().to_owned(), primitive: id[0], invocation: None }
        }
    }
}

/// A number of a command line.
///
/// # Errors
/// When it is none.
pub fn number<N: std::str::FromStr>(text: &str, what: &str) -> anyhow::Result<N> {
    text.trim().parse().ok().with_context(|| format!("`{}` is no {what}", text.trim()))
}
