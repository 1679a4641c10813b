//! Steps through the invocation that made a pixel, and into the passes that it reads from:
//!
//! ```console
//! $ target/release/afterimage record -o pearl.aftr -- target/release/deferred --frames 8
//! …
//! $ cargo run --release --example pixel -- pearl.aftr 200,60
//! fragment 200,60 of glDrawArrays (command 4254)
//!    8  vec3 light = texture(image, at).rgb + texture(bloom, at).rgb * 0.6;
//!       reads what fragment 200,60 of glDrawArrays (command 4216) wrote
//!       light = vec3(0.31758013, 0.21580793, 0.18063778)  as measured
//!    9  vec2 corner = at - 0.5;
//!       light = vec3(0.31758013, 0.21580793, 0.18063778)  as measured
//!       corner = vec2(-0.08229172, -0.27592593)  as measured
//! …
//! ```
//!
//! and so on, to the end of the shader. It shows how a program embeds the debugger.

use std::process::ExitCode;

use afterimage::{Agreement, Choice, Host, OpenOptions, Scope, Step};

fn main() -> ExitCode {
    // A driver may crash, so it runs in a separate process: this program, started again.
    afterimage::be_a_worker_if_asked();
    let words: Vec<String> = std::env::args().collect();
    let pixel = words.get(2).and_then(|text| text.split_once(','));
    let pixel = pixel.and_then(|(x, y)| Some((x.trim().parse().ok()?, y.trim().parse().ok()?)));
    let (Some(trace), Some((x, y))) = (words.get(1), pixel) else {
        eprintln!("usage: pixel TRACE X,Y, for example game.aftr 320,200");
        return ExitCode::from(2);
    };
    match walk(trace, x, y) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn walk(trace: &str, x: u32, y: u32) -> Result<(), Box<dyn std::error::Error>> {
    let mut session = Host::new().session(&OpenOptions::new(trace))?;
    let mut stop = session.enter(&Choice::Pixel { frame: None, x, y })?;
    out(&stop.invocation.name);
    let mut deepest = None;
    while !stop.ended {
        out(&format!("{:>4}  {}", stop.location.line, stop.location.text));
        // The invocation of an earlier pass is one step away.
        if deepest.is_none() && session.reads()?.iter().any(|read| !read.texels.is_empty()) {
            deepest = session.step_into_read(0, 0).ok().map(|inner| inner.invocation.name);
            if let Some(name) = &deepest {
                out(&format!("      reads what {name} wrote"));
                session.step(Step::Out)?;
            }
        }
        stop = session.step(Step::Over)?;
        for variable in session.variables(0, Scope::Locals)? {
            let agreement = match variable.value.agreement {
                Some(Agreement::Equal) => "  as measured",
                Some(Agreement::Within { .. }) => "  as measured, but for rounding",
                Some(Agreement::Divergent { .. }) => "  not as measured",
                None => "",
            };
            out(&format!("      {} = {}{agreement}", variable.name, variable.value.text()));
        }
    }
    Ok(())
}

fn out(line: &str) {
    use std::io::Write as _;
    // The reader may close the pipe at any time.
    let _ = writeln!(std::io::stdout(), "{line}");
}
