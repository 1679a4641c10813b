//! The invocation to begin with.

use anyhow::{Context, bail};
use session::{Choice, Session};

/// Options that say which invocation is meant.
#[derive(Clone, Default, clap::Args)]
pub struct Place {
    /// The pixel, from the lower left.
    #[arg(long, value_name = "X,Y", value_parser = pixel)]
    pub pixel: Option<[u32; 2]>,
    /// The frame, from 0; otherwise the last.
    #[arg(long, value_name = "N", conflicts_with = "at")]
    pub frame: Option<usize>,
    /// The draw or dispatch: the number of its command.
    #[arg(long, value_name = "CMD")]
    pub at: Option<u64>,
    /// The stage: fragment, vertex, geometry, tesscontrol, tessevaluation or compute.
    #[arg(long, value_name = "STAGE", requires = "at")]
    pub stage: Option<String>,
    /// The vertex, primitive or compute invocation of that stage: one number, or three as X,Y,Z.
    #[arg(long, value_name = "N", requires = "at", conflicts_with = "pixel", value_parser = index)]
    pub index: Option<[u32; 3]>,
}

impl Place {
    /// The invocation that is meant; nothing when none was named.
    ///
    /// # Errors
    /// When the options do not name one.
    pub fn choice(&self, session: &Session) -> anyhow::Result<Option<Choice>> {
        let stage = self.stage.as_deref();
        Ok(Some(match (self.at, self.pixel, self.index) {
            (None, None, _) => return Ok(None),
            (None, Some([x, y]), _) => {
                let frames = session.frames().len();
                if let Some(frame) = self.frame.filter(|frame| *frame >= frames) {
                    bail!("there is no frame {frame}; the trace has {frames}, counted from 0");
                }
                Choice::Pixel { frame: self.frame, x, y }
            }
            (Some(command), Some([x, y]), _) => match stage {
                None | Some("fragment") => Choice::fragment(command, x, y),
                Some(other) => bail!("--pixel is for fragments; say which {other} invocation with --index"),
            },
            (Some(command), None, Some(id)) => of_stage(command, stage.unwrap_or("vertex"), id)?,
            (Some(_), None, None) => bail!("say which invocation of the draw: --pixel X,Y, or --stage and --index N"),
        }))
    }
}

/// An invocation of a stage by its number.
///
/// # Errors
/// When there is no such stage.
pub fn of_stage(command: u64, stage: &str, id: [u32; 3]) -> anyhow::Result<Choice> {
    Ok(match stage {
        "fragment" => Choice::fragment(command, id[0], id[1]),
        "vertex" => Choice::vertex(command, id[0]),
        "compute" => Choice::thread(command, id),
        "geometry" | "tesscontrol" | "tessevaluation" => {
            Choice::Primitive { command, stage: stage.to_owned(), primitive: id[0], invocation: None }
        }
        other => bail!(
            "there is no stage {other}; they are vertex, tesscontrol, tessevaluation, geometry, fragment and compute"
        ),
    })
}

/// Two numbers with a comma, or a space, between them.
pub fn pixel(text: &str) -> Result<[u32; 2], String> {
    let numbers = numbers(text).ok_or("a pixel is two numbers: X,Y")?;
    <[u32; 2]>::try_from(numbers).map_err(|_| "a pixel is two numbers: X,Y".to_owned())
}

/// One to three numbers; what is not said is 0.
pub fn index(text: &str) -> Result<[u32; 3], String> {
    let numbers = numbers(text).filter(|numbers| (1..=3).contains(&numbers.len()));
    let mut numbers = numbers.ok_or("an invocation is one number, or three: X,Y,Z")?;
    numbers.resize(3, 0);
    <[u32; 3]>::try_from(numbers).map_err(|_| "an invocation is one number, or three: X,Y,Z".to_owned())
}

/// A number of a command line.
///
/// # Errors
/// When it is none.
pub fn number<N: std::str::FromStr>(text: &str, what: &str) -> anyhow::Result<N> {
    text.trim().parse().ok().with_context(|| format!("`{}` is no {what}", text.trim()))
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    text.split([',', ' ']).filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect()
}
