//! `cargo xtask corpus …`: compares our results with third-party tests and with drivers.

mod alarms;
mod answers;
mod assembly;
mod browser;
pub mod case;
mod deqp;
pub mod differ;
mod divert;
mod engines;
pub mod equal;
mod errors;
mod filters;
mod front_end;
mod glmark2;
mod glsl;
mod history;
mod kill;
mod known;
mod mesa;
mod mutants;
pub mod neutral;
pub mod piglit;
mod pool;
mod programs;
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
pub use mutants::run_sample as run_mutants_sample;
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

/// The corpus to run.
#[derive(clap::Subcommand)]
pub enum Corpus {
    /// Compile every GLSL shader of piglit, and compare with its expectations and with Mesa.
    Glsl(glsl::Args),
    /// Run piglit's tests on the emulator and check their probes.
    Run(run::Args),
    /// Check that parentheses around every value of piglit's shaders change neither verdicts nor pixels.
    Spans(spans::Args),
    /// Compile the ES shader cases of the Khronos conformance suite in a folder.
    Deqp(deqp::Args),
    /// Compare fragment shaders on the emulator and on the driver, pixel by pixel.
    Differ(differ::Args),
    /// Compare random look-ups in random textures on the emulator and on the driver.
    Filters(filters::Args),
    /// Reach moments in runs of piglit's shaders forwards and backwards, and compare.
    Travel(travel::Args),
    /// Compare watch expressions in runs of piglit's shaders with the values of the run.
    Watch(watch::Args),
    /// Run instrumented variants of piglit's shaders on the emulator, and compare with the originals.
    Weave(weave::Args),
    /// Run piglit's tests on the emulator as WebAssembly under Node.
    Wasm(wasm::Args),
    /// Compile shaders for WebGL, and compare with Chromium.
    Webgl(webgl::Args),
    /// Record and replay real programs, and compare their output and every frame.
    Record(record::Args),
    /// Install, record and question programs of Debian's archive (docs/programs.md).
    Programs(programs::Args),
    /// Draw the shaders of three.js, PlayCanvas, Babylon.js and libretro, and ask every draw for its values.
    Engines(engines::Args),
    /// Run every command on traces that were changed at random.
    Mutants(mutants::Args),
    /// Kill programs while they are recorded, and check that no completed call is lost.
    Kill(kill::Args),
    /// Compare the model with a driver at random commands of real traces, by all queries.
    State(state::Args),
    /// Run draws of real traces again in a diversion, and check that all state is restored.
    Divert(divert::Args),
    /// Compute histories of random pixels of real programs, and compare emulated with actual values.
    History(history::Args),
    /// Compare images after random commands, with skipped and with full execution.
    Skip(skip::Args),
    /// Trim real traces to some frames, and compare them with the recording.
    Trim(trim::Args),
    /// Compare the results of glGetError in piglit's programs with the model.
    Errors(errors::Args),
    /// Compare values of shaders at random moments on the driver and on the emulator.
    Equal(equal::Args),
    /// Compare random fragments of real programs with the emulator's, and count false alarms.
    Alarms(alarms::Args),
    /// Insert disabled probes into shaders of real traces, and check that every image is unchanged.
    Neutral(neutral::Args),
    /// Walk randomly through invocations of real traces, forwards, backwards and across passes.
    Walks(walks::Args),
    /// Translate assembly programs of piglit's tests to GLSL, and compare with Mesa.
    Assembly(assembly::Args),
    /// Compile every string that glmark2's scenes pass to glShaderSource.
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
        Corpus::Filters(args) => filters::run(args),
        Corpus::Travel(args) => travel::run(args),
        Corpus::Watch(args) => watch::run(args),
        Corpus::Weave(args) => weave::run(args),
        Corpus::Wasm(args) => wasm::run(args),
        Corpus::Webgl(args) => webgl::run(args),
        Corpus::Record(args) => record::run(args),
        Corpus::Programs(args) => programs::run(args),
        Corpus::Engines(args) => engines::run(args),
        Corpus::Mutants(args) => mutants::run(args),
        Corpus::Kill(args) => kill::run(args),
        Corpus::State(args) => state::run(args),
        Corpus::Divert(args) => divert::run(args),
        Corpus::History(args) => history::run(args),
        Corpus::Skip(args) => skip::run(args),
        Corpus::Trim(args) => trim::run(args),
        Corpus::Errors(args) => errors::run(args),
        Corpus::Equal(args) => equal::run(args),
        Corpus::Alarms(args) => alarms::run(args),
        Corpus::Walks(args) => walks::run(args),
        Corpus::Assembly(args) => assembly::run(args),
        Corpus::Neutral(args) => neutral::run(args),
        Corpus::Glmark2(args) => glmark2::run(args),
    }
}
