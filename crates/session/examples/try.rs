use session::*;
use std::time::Instant;
fn main() -> Result<(), SessionError> {
    be_a_worker_if_asked();
    let words: Vec<String> = std::env::args().collect();
    let start = Instant::now();
    let mut session = Session::open(&OpenOptions::new(&words[1]))?;
    let frames = session.frames();
    println!("{} frames", frames.len());
    for d in session.draws(frames.len() - 1).unwrap_or_default() { println!("{} {}", d.command, d.name); }
    println!("open {:?}", start.elapsed());
    let start = Instant::now();
    let (x, y): (u32, u32) = (words[3].parse().unwrap(), words[4].parse().unwrap());
    let choice = match words[2].parse() { Ok(command) => Choice::fragment(command, x, y), Err(_) => Choice::Pixel { frame: None, x, y } };
    let stop = session.enter(&choice)?;
    println!("{:?} cold", start.elapsed());
    println!("{stop:#?}");
    let steps: usize = words[5].parse().unwrap();
    for _ in 0..steps {
        let start = Instant::now();
        let stop = session.step(Step::Into)?;
        let took = start.elapsed();
        println!("{:?} {} {}: {}  [{}] {took:?}", stop.reason, stop.function, stop.location.line, stop.location.text, stop.moment);
        let start = Instant::now();
        for scope in [Scope::Locals, Scope::Parameters] {
            for v in session.variables(0, scope)? {
                println!("      {} {} = {} {:?} {:?}", v.type_name, v.name, v.value.text(), v.value.measured, v.value.agreement);
            }
        }
        println!("   {:?}", start.elapsed());
        if stop.ended { break; }
    }
    for scope in Scope::ALL {
        println!("{}", scope.name());
        for v in session.variables(0, scope)? {
            println!("      {} {} = {} {:?} {:?} {:?}", v.type_name, v.name, v.value.text(), v.note, v.value.agreement, v.children);
        }
    }
    println!("{:?}", session.findings()?);
    let start = Instant::now();
    let mut stop = session.step(Step::ToStart)?;
    let command = stop.invocation.command;
    for _ in 0..200 {
        let reads = session.reads()?;
        if let Some(read) = reads.first() {
            println!("{:?} reads at {}: {}", start.elapsed(), stop.location.line, stop.location.text);
            println!("{read:#?}");
            let start = Instant::now();
            match session.step_into_read(0, 0) {
                Ok(stop) => { println!("{:?} {stop:#?}", start.elapsed());
                    for f in session.stack()? { println!("{} {} {} {}", f.pass, f.function, f.location.line, f.location.text); }
                    println!("{:#?}", session.passes());
                    let back = session.step(Step::Out)?;
                    println!("{back:?}");
                }
                Err(error) => println!("{:?} {error}", start.elapsed()),
            }
            break;
        }
        stop = session.step(Step::Over)?;
        if stop.ended { break; }
    }
    let start = Instant::now();
    let stop = session.enter(&Choice::fragment(command, x / 2 + 3, y / 2))?;
    println!("{:?} warm {}", start.elapsed(), stop.invocation.name);
    let start = Instant::now();
    session.variables(0, Scope::Locals)?;
    println!("{:?} first variables", start.elapsed());
    Ok(())
}
