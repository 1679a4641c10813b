use session::*;
use std::time::Instant;
fn main() -> Result<(), SessionError> {
    be_a_worker_if_asked();
    let words: Vec<String> = std::env::args().collect();
    let start = Instant::now();
    let mut session = Session::open(&OpenOptions::new(&words[1]))?;
    let command: u64 = words[2].parse().unwrap();
    let (x, y) = (words[3].parse().unwrap(), words[4].parse().unwrap());
    let stop = session.enter(&Choice::fragment(command, x, y))?;
    println!("{:?} cold", start.elapsed());
    println!("{stop:#?}");
    for _ in 0..60 {
        let start = Instant::now();
        let stop = session.step(Step::Into)?;
        let took = start.elapsed();
        println!("{:?} {} {}: {}  [{}] {took:?}", stop.reason, stop.function, stop.location.line, stop.location.text, stop.moment);
        let start = Instant::now();
        for scope in [Scope::Locals, Scope::Parameters] {
            for v in session.variables(0, scope)? {
                println!("      {} {} = {}", v.type_name, v.name, v.value.text());
            }
        }
        println!("   {:?}", start.elapsed());
        if stop.ended { break; }
    }
    for scope in Scope::ALL {
        println!("{}", scope.name());
        for v in session.variables(0, scope)? {
            println!("      {} {} = {} {:?}", v.type_name, v.name, v.value.text(), v.note);
        }
    }
    let start = Instant::now();
    let stop = session.enter(&Choice::fragment(command, x + 3, y))?;
    println!("{:?} warm {}", start.elapsed(), stop.invocation.name);
    Ok(())
}
