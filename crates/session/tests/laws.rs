//! Laws of walking through invocations of recorded demos, by random walks that are the same every time.
//!
//! `SESSION_WALKS` says how many walks of each trace; `SESSION_TRACES` names further traces, with colons between them;
//! `AFTERIMAGE_PROGRAMS` is a folder with `afterimage` and the demos, where they need not be built.

#[path = "laws/ends.rs"]
mod ends;
#[path = "laws/points.rs"]
mod points;
#[path = "laws/seams.rs"]
mod seams;
#[path = "laws/traces.rs"]
mod traces;
#[path = "laws/walks.rs"]
mod walks;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// Walks through a trace of which nothing else is said.
const WALKS: usize = 4;

/// Demos, and how many walks of how many must go through an earlier pass.
/// `particles` has nothing to cross into: what its draws read is in buffers.
const DEMOS: [(&str, [usize; 2]); 3] = [("deferred", [1, 4]), ("chain", [2, 4]), ("particles", [0, 4])];

fn main() -> ExitCode {
    // The worker with the driver in it is this program.
    host::be_a_worker_if_asked();
    let mut trials = Vec::new();
    for (name, [crossings, of]) in DEMOS {
        let walks = walks::wanted(of);
        let check = move || walks::check(&traces::recorded(name), walks, walks * crossings / of);
        trials.push(trial(format!("walks_{name}"), check));
    }
    for path in std::env::var("SESSION_TRACES").unwrap_or_default().split(':').filter(|path| !path.is_empty()) {
        let path = std::path::PathBuf::from(path);
        trials.push(trial(format!("walks_{}", path.display()), move || walks::check(&path, walks::wanted(WALKS), 0)));
    }
    trials.push(trial("breakpoints_stop".to_owned(), points::breakpoints));
    trials.push(trial("counts_and_messages".to_owned(), points::counts));
    trials.push(trial("writes_are_found".to_owned(), points::writes));
    trials.push(trial("undefined_things_stop".to_owned(), points::exceptions));
    trials.push(trial("what_is_set_has_consequences".to_owned(), points::changes));
    trials.push(trial("workgroups_are_walked_through".to_owned(), points::workgroups));
    trials.push(trial("values_are_as_measured".to_owned(), points::measured));
    trials.push(trial("values_come_as_the_device_says_them".to_owned(), points::awaited));
    trials.push(trial("fragments_advance_together".to_owned(), points::groups));
    trials.push(trial("breakpoints_stop_over_a_frame".to_owned(), points::everywhere));
    trials.push(trial("steps_stop_at_breakpoints".to_owned(), points::past));
    trials.push(trial("what_is_not_there_is_said".to_owned(), points::refusals));
    trials.push(trial("walks_are_interrupted".to_owned(), ends::walks));
    trials.push(trial("questions_are_interrupted".to_owned(), ends::questions));
    trials.push(trial("groups_leave_loops_and_go_back".to_owned(), ends::groups));
    trials.push(trial("samplers_read_pictures".to_owned(), ends::textures));
    trials.push(trial("old_languages_know_nan".to_owned(), ends::old_languages));
    trials.push(trial("nothing_is_asked_twice".to_owned(), seams::nothing_twice));
    trials.push(trial("positions_carry_changes".to_owned(), seams::positions));
    trials.push(trial("pixels_of_traces_without_presents".to_owned(), seams::without_presents));
    trials.push(trial("sessions_share_a_trace".to_owned(), seams::shared));
    trials.push(trial("pictures_show_what_is_presented".to_owned(), seams::presented));
    trials.push(trial("histories_are_compared_with_pictures".to_owned(), seams::wrong_histories));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(name: String, check: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        check();
        Ok::<(), Failed>(())
    })
}
