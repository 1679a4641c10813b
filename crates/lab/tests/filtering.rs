//! Compares random look-ups of llvmpipe with the profile of it in crate `texture`, and what any driver's anisotropic filters
//! give with their bounds. `cargo xtask corpus filters` compares more, and prints a table.
//!
//! Where the first driver is another one, the first test is ignored: `LIBGL_ALWAYS_SOFTWARE=1` makes Mesa's the first.

use std::process::ExitCode;

use driver::{Api, Context};
use lab::filters::{Agreement, Case};
use libtest_mimic::{Arguments, Failed, Trial};
use testing::random::Random;
use texture::Filtering;

/// The number of textures, each with 1,024 look-ups.
const CASES: u64 = 150;

fn main() -> ExitCode {
    let renderer = Context::new(Api::DesktopCore).and_then(|context| context.renderer());
    let other = renderer.is_ok_and(|renderer| !renderer.starts_with("llvmpipe"));
    let trials = vec![
        Trial::test("look_ups_match_llvmpipe", look_ups_match_llvmpipe).with_ignored_flag(other),
        Trial::test("anisotropic_look_ups_are_within_their_bounds", anisotropic_look_ups_are_within_their_bounds),
        Trial::test("other_look_ups_are_within_their_bounds", other_look_ups_are_within_their_bounds),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Random cases, each with what is found of it.
fn compared(filtering: Filtering, wanted: impl Fn(&Case) -> bool) -> Vec<(Case, Agreement)> {
    let context = testing::driver::context(Api::DesktopCore);
    let cases = (0..CASES).map(|seed| (seed, Case::random(&mut Random::new(seed)))).filter(|(_, case)| wanted(case));
    cases.map(|(seed, case)| (case, case.compare(&context, filtering, seed).expect("the draw succeeds"))).collect()
}

fn look_ups_match_llvmpipe() -> Result<(), Failed> {
    let llvmpipe = Filtering::Llvmpipe { flipped: false, ellipses: true };
    let found = compared(llvmpipe, |_| true);
    let (mut all, mut mixed, mut wrong) = (Agreement::default(), Agreement::default(), Vec::new());
    for (case, found) in found {
        all.add(&found);
        // Where every pixel has an ellipse and a level of its own, llvmpipe mixes up the sizes of levels.
        if case.sampling.anisotropy > 1 && case.sampling.more_levels > 0 && case.has_own_levels() {
            mixed.add(&found);
        } else if found.different() > 0 {
            wrong.push(format!("{} of {}, {case:?}: {:?}", found.different(), found.total, found.first));
        }
    }
    assert!(wrong.is_empty(), "{} of {CASES} cases:\n{}", wrong.len(), wrong.join("\n"));
    assert!(mixed.different() * 20 < mixed.total, "{} of {} differ: {:?}", mixed.different(), mixed.total, mixed.first);
    assert!(all.exact * 100 > all.total * 98, "{} of {} look-ups are equal in every bit", all.exact, all.total);
    Ok(())
}

fn anisotropic_look_ups_are_within_their_bounds() -> Result<(), Failed> {
    let context = testing::driver::context(Api::DesktopCore);
    let llvmpipe = context.renderer()?.starts_with("llvmpipe");
    let filtering =
        if llvmpipe { Filtering::Llvmpipe { flipped: false, ellipses: true } } else { Filtering::default() };
    let found = compared(filtering, |case| case.sampling.anisotropy > 1);
    let outside: usize = found.iter().map(|(_, found)| found.outside).sum();
    let all: usize = found.iter().map(|(_, found)| found.total).sum();
    // llvmpipe takes the wrong texels where neighbouring quads have different levels.
    assert!(outside * 500 <= all && all > 10_000, "{outside} of {all} look-ups are outside of their bounds");
    Ok(())
}

/// Every driver is taken for one whose filters are not known.
fn other_look_ups_are_within_their_bounds() -> Result<(), Failed> {
    let found = compared(Filtering::default(), |case| case.sampling.anisotropy <= 1 && case.has_known_slopes());
    let all: usize = found.iter().map(|(_, found)| found.total).sum();
    let outside: Vec<String> = found
        .iter()
        .filter(|(_, found)| found.outside > 0)
        .map(|(case, found)| format!("{} of {}, {case:?}: {:?}", found.outside, found.total, found.first))
        .collect();
    assert!(outside.is_empty() && all > 10_000, "{} cases of {all} look-ups:\n{}", outside.len(), outside.join("\n"));
    Ok(())
}
