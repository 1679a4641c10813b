//! C programs that use the interface: the example, and one that uses all of it under a sanitizer.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use afterimage::{Agreement, Choice, Host, OpenOptions, Scope, Session, Step, Trace};
use testing::programs::built;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn trace() -> PathBuf {
    root().join("crates/trace/tests/golden/recorded/0.1-deferred.aftr")
}

fn session() -> Session {
    Host::with_program(built().join("afterimage-worker")).session(&OpenOptions::new(trace())).unwrap()
}

/// Compiles a program of the repository.
fn compiled(source: &str, options: &[&str]) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(Path::new(source).file_stem().unwrap());
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g"]).args(options);
    command.arg("-I").arg(root().join("bindings/c/include")).arg(root().join(source)).arg("-o").arg(&program);
    command.arg("-L").arg(built()).arg("-lafterimage_c").arg(format!("-Wl,-rpath,{}", built().display()));
    let output = command.output().expect("there is a C compiler, `cc`");
    assert!(output.status.success(), "{source} cannot be compiled: {}", String::from_utf8_lossy(&output.stderr));
    program
}

#[track_caller]
fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What the example prints, by the library itself.
fn expected(x: u32, y: u32) -> String {
    let mut session = session();
    let mut stop = session.enter(&Choice::Pixel { frame: None, x, y }).unwrap();
    let mut text = format!("{}\n", stop.invocation.name);
    while !stop.ended {
        text += &format!("{:>4}  {}\n", stop.location.line, stop.location.text);
        stop = session.step(Step::Over).unwrap();
        for variable in session.variables(0, Scope::Locals).unwrap() {
            let value = variable.value;
            let shown = value.emulated.clone().or(value.measured.clone()).unwrap_or("no value".to_owned());
            let agreement = match value.agreement {
                None => String::new(),
                Some(Agreement::Equal) => "  as measured".to_owned(),
                Some(Agreement::Within { .. }) => "  as measured, but for rounding".to_owned(),
                Some(Agreement::Divergent { .. }) => format!("  not as measured: {}", value.measured.unwrap()),
            };
            text += &format!("      {} {} = {shown}{agreement}\n", variable.type_name, variable.name);
        }
    }
    text
}

#[test]
fn the_example_prints_the_values_of_a_pixel() {
    let program = compiled("examples/pixel.c", &[]);
    for (x, y) in [(20, 20), (33, 11)] {
        let output = Command::new(&program).arg(trace()).args([x, y].map(|side: u32| side.to_string())).output();
        let text = printed(&output.unwrap());
        assert_eq!(text, expected(x, y));
        assert!(text.lines().count() > 6 && text.contains("as measured"), "{text}");
    }
    let missing = Command::new(&program).args(["no-such-trace.aftr", "1", "1"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no-such-trace.aftr"), "{missing:?}");
}

#[test]
fn the_whole_interface_works_and_leaks_nothing() {
    let program = compiled("bindings/c/tests/interface.c", &["-fsanitize=address", "-fno-omit-frame-pointer"]);
    // Wrong conditions of breakpoints have memory of their own; the checker must see those of all threads.
    let output = Command::new(&program).arg(trace()).env("ASAN_OPTIONS", "detect_leaks=1").output().unwrap();
    let text = printed(&output);
    let (mut session, trace) = (session(), Trace::open(trace()).unwrap());
    let draws = trace.calls(0..trace.len()).filter(|call| call.as_ref().is_ok_and(|call| call.name == "glDrawArrays"));
    let frames = trace.frames().len();
    let mut lines = vec![format!("calls {} draws {} frames {frames}", trace.len(), draws.count())];
    let shown = session.frame_shown(0).unwrap();
    let viewport = trace.state(shown).unwrap().part("viewport", false).unwrap();
    lines.push(format!("viewport {}", serde_json::to_string(&viewport.tree()).unwrap()));
    let picture = session.picture(shown).unwrap().unwrap();
    let sum = picture.rgba.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    lines.push(format!("picture {}x{} {sum:016x}", picture.width, picture.height));
    assert_eq!(text.lines().collect::<Vec<_>>(), lines);
}
