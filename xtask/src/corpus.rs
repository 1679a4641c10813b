//! `cargo xtask corpus …`: other people's shaders, their expectations, a driver's verdicts, and ours.

mod answers;
mod assembly;
pub mod case;
mod deqp;
pub mod differ;
mod divert;
pub mod equal;
mod errors;
mod front_end;
mod glmark2;
mod glsl;
mod history;
mod kill;
mod known;
mod mesa;
pub mod neutral;
pub mod piglit;
mod pool;
mod ratchet;
mod record;
mod report;
mod run;
mod skip;
mod spans;
mod state;
mod travel;
mod trim;
mod walks;
mod wasm;
mod watch;
mod weave;
mod webgl;
pub mod worker;

pub use differ::run_sample as run_differ_sample;
pub use equal::run_sample as run_equal_sample;
pub use glsl::run_sample;
pub use history::run_sample as run_history_sample;
pub use neutral::run_sample as run_neutral_sample;
pub use record::{Display, run_sample as run_record_sample, traces_for_bench};
pub use run::run_sample as run_tests_sample;
pub use spans::run_sample as run_spans_sample;
pub use state::run_sample as run_state_sample;
pub use travel::run_sample as run_travel_sample;
pub use wasm::run_sample as run_wasm_sample;
pub use watch::run_sample as run_watch_sample;
pub use weave::run_sample as run_weave_sample;
pub use webgl::run_variants as run_webgl_variants;

/// Which corpus.
#[derive(clap::Subcommand)]
pub enum Corpus {
    /// Every GLSL shader of piglit, with Mesa as the second opinion.
    Glsl(glsl::Args),
    /// Piglit's tests, executed and probed on the emulator.
    Run(run::Args),
    /// Parentheses around every value of piglit's shaders, put there by span edits, change neither verdicts nor pixels.
    Spans(spans::Args),
    /// The ES shader cases of the Khronos conformance suite, read from a folder.
    Deqp(deqp::Args),
    /// The same fragment shaders on the emulator and on the driver, pixel by pixel.
    Differ(differ::Args),
    /// Moments in the runs of piglit's shaders, reached forwards and backwards.
    Travel(travel::Args),
    /// Values that watches give in the runs of piglit's shaders, and those the runs come to.
    Watch(watch::Args),
    /// Variants of piglit's shaders that record their runs, on the emulator, beside the originals.
    Weave(weave::Args),
    /// Piglit's tests on the emulator as WebAssembly under Node.
    Wasm(wasm::Args),
    /// Shaders for WebGL, with Chromium as the second opinion.
    Webgl(webgl::Args),
    /// Real programs, recorded and replayed: nobody notices, and every frame is the same.
    Record(record::Args),
    /// Programs killed while they are recorded: no completed call is lost.
    Kill(kill::Args),
    /// Everything a driver can be asked at random commands of real traces, against the model.
    State(state::Args),
    /// Draws of real traces run once more aside: everything is as it was afterwards.
    Divert(divert::Args),
    /// Random pixels of real programs, and who made them: what is emulated is what is there.
    History(history::Args),
    /// Pictures after random commands, by executing only what they depend on, and everything.
    Skip(skip::Args),
    /// Cut frames out of real traces, and compare them with the recording.
    Trim(trim::Args),
    /// What piglit's programs were told by glGetError, against the model.
    Errors(errors::Args),
    /// What shaders compute on the driver at random moments, and what the emulator says.
    Equal(equal::Args),
    /// Shaders with probes that are switched off, in real traces: every picture is as it was.
    Neutral(neutral::Args),
    /// Random walks through the invocations of real traces, forwards, backwards and across passes.
    Walks(walks::Args),
    /// Assembly programs of piglit's tests, translated to GLSL, with Mesa as the second opinion.
    Assembly(assembly::Args),
    /// Every string that glmark2's scenes hand to glShaderSource.
    Glmark2(glmark2::Args),
}

/// Runs one corpus.
pub fn run(corpus: &Corpus) -> anyhow::Result<()> {
    match corpus {
        Corpus::Glsl(args) => glsl::run(args),
        Corpus::Run(args) => run::run(args),
        Corpus::Spans(args) => spans::run(args),
        Corpus::Deqp(args) => deqp::run(args),
        Corpus::Differ(args) => differ::run(args),
        Corpus::Travel(args) => travel::run(args),
        Corpus::Watch(args) => watch::run(args),
        Corpus::Weave(args) => weave::run(args),
        Corpus::Wasm(args) => wasm::run(args),
        Corpus::Webgl(args) => webgl::run(args),
        Corpus::Record(args) => record::run(args),
        Corpus::Kill(args) => kill::run(args),
        Corpus::State(args) => state::run(args),
        Corpus::Divert(args) => divert::run(args),
        Corpus::History(args) => history::run(args),
        Corpus::Skip(args) => skip::run(args),
        Corpus::Trim(args) => trim::run(args),
        Corpus::Errors(args) => errors::run(args),
        Corpus::Equal(args) => equal::run(args),
        Corpus::Walks(args) => walks::run(args),
        Corpus::Assembly(args) => assembly::run(args),
        Corpus::Neutral(args) => neutral::run(args),
        Corpus::Glmark2(args) => glmark2::run(args),
    }
}
