//! Asks on another machine: traces and questions go there in a folder.

use std::path::Path;

use anyhow::{Context, ensure};

use super::Args;
use super::ask::{self, Answer, Question};
use crate::bench::record::measure::Tools;
use crate::corpus::pool;

/// The list of questions; the paths of traces in it are relative to it.
const QUESTIONS: &str = "questions.json";

/// Copies what is needed to ask elsewhere.
pub fn write(questions: &[Question], folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut packed = questions.to_vec();
    for question in &mut packed {
        let name = question.trace.file_name().context("a trace has no name")?.to_owned();
        let to = folder.join(&name);
        if !to.exists() {
            std::fs::copy(&question.trace, &to).with_context(|| format!("cannot write {}", to.display()))?;
        }
        question.trace = name.into();
    }
    std::fs::write(folder.join(QUESTIONS), serde_json::to_string_pretty(&packed)? + "\n")?;
    println!("{} questions in {}", packed.len(), folder.display());
    Ok(())
}

/// Asks the questions of a folder, some at a time, each with a shader cache of its own.
pub fn ask_all(folder: &Path, args: &Args) -> anyhow::Result<Vec<Answer>> {
    // The commands do not run in the folder that a relative path counts from.
    let folder = std::path::absolute(folder)?;
    let list = folder.join(QUESTIONS);
    let text = std::fs::read(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let mut questions: Vec<Question> = serde_json::from_slice(&text)?;
    questions.retain(|question| args.wants(&question.name));
    ensure!(!questions.is_empty(), "no pair of shaders has such a name");
    questions.iter_mut().for_each(|question| question.trace = folder.join(&question.trace));
    let program = args.afterimage.as_ref().context("--packed needs --afterimage FILE")?;
    let built = std::path::absolute(program)?.parent().context("afterimage is in no folder")?.to_owned();
    let tools = |number: usize| -> anyhow::Result<Tools> {
        let folder = folder.join(format!("thread-{number}"));
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Tools { built: built.clone(), display: String::new(), folder })
    };
    let mut traces: Vec<&Path> = questions.iter().map(|question| &*question.trace).collect();
    traces.dedup();
    // Each trace fills a cache of its own; two threads must not fill the same.
    let fill = |number: &mut usize, trace: &&Path| tools(*number)?.cache_only(trace);
    pool::each(&traces, args.threads, next, fill)?;
    pool::each(&questions, args.threads, next, |number, question| {
        let answer = ask::ask(&tools(*number)?, question)?;
        println!("{}", answer.line());
        Ok(answer)
    })
}

/// Returns a number that no other thread has.
fn next() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
