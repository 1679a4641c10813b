//! The directives of a filetest that is run.

use instrument::{CompilerWorkarounds, Transport};
use shader::version::Options;
use testing::filetest::{self, directive, split};

use crate::directive::{END, quoted};

/// An engine that can run a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The emulator.
    Emulate,
    /// Instrumented shaders on a driver.
    Instrument,
}

/// A filetest that is run.
pub struct RunTest {
    /// The engines to run it on.
    pub engines: Vec<Engine>,
    /// The options to read it with.
    pub options: Options,
    /// The pixel of a fragment shader.
    pub pixel: (u32, u32),
    /// Values of inputs and uniforms, by name.
    pub inputs: Vec<(String, String)>,
    /// The transport of an instrumented shader, if not the best available.
    pub transport: Option<Transport>,
    /// Constructs to avoid for the driver's compiler.
    pub style: CompilerWorkarounds,
    /// The reason why it is known to fail, if so.
    pub xfail: Option<String>,
    /// Expectations in order.
    pub directives: Vec<Directive>,
}

/// One expectation.
pub struct Directive {
    /// The line that it refers to.
    pub line: u32,
    /// The line that it is on.
    pub at: u32,
    /// The expectation.
    pub kind: Expectation,
}

/// An expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// After the statement on this line, part of a variable has this value: each time, or one after the other.
    Expect(String, String),
    /// The statement on this line is not reached.
    Never,
    /// An output has this value at the end.
    Output(String, String),
    /// An output has these values where vertices are emitted, one after the other.
    Emitted(String, String),
    /// The fragment is discarded.
    Discarded,
    /// Something undefined happens on this line.
    Finding(String, String),
}

/// Parses one shader of a file that starts with `// run:`.
pub fn parse(shader: &filetest::FileTest) -> Result<RunTest, String> {
    let text = &shader.text;
    let first = text.lines().next().unwrap_or_default();
    let engines = first.strip_prefix("// run:").ok_or("the first line must be `// run: ENGINES`")?;
    let engines = engines.split(',').map(|word| match word.trim() {
        "emulate" => Ok(Engine::Emulate),
        "instrument" => Ok(Engine::Instrument),
        other => Err(format!("`{other}` is not an engine")),
    });
    let mut test = RunTest {
        engines: engines.collect::<Result<_, _>>()?,
        options: shader.options.clone(),
        pixel: (0, 0),
        inputs: Vec::new(),
        transport: None,
        style: CompilerWorkarounds::default(),
        xfail: None,
        directives: Vec::new(),
    };
    let mut waiting: Vec<usize> = Vec::new();
    for (index, line) in text.lines().enumerate().skip(2) {
        let at = index as u32 + 1;
        let (code, comments) = split(line);
        let alone = code.trim().is_empty();
        if !alone {
            waiting.drain(..).for_each(|w: usize| test.directives[w].line = at);
        }
        for comment in comments {
            let Some((word, rest)) = directive(comment) else { continue };
            let pair = || {
                let pair = rest.split_once(" = ").map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()));
                pair.ok_or(format!("line {at}: expected `{word}: NAME = VALUE`"))
            };
            let kind = match word {
                "xfail" if rest.is_empty() => return Err(format!("line {at}: `xfail` needs a reason")),
                "xfail" => {
                    test.xfail = Some(rest.to_owned());
                    continue;
                }
                "set" => {
                    test.inputs.push(pair()?);
                    continue;
                }
                "pixel" => {
                    let (x, y) = rest.split_once(',').ok_or(format!("line {at}: expected `pixel: X, Y`"))?;
                    let number = |n: &str| n.trim().parse().map_err(|_| format!("line {at}: `{n}` is not a number"));
                    test.pixel = (number(x)?, number(y)?);
                    continue;
                }
                "transport" => {
                    test.transport = Some(transport(rest).ok_or(format!("line {at}: `{rest}` is not a transport"))?);
                    continue;
                }
                "style" => {
                    for word in rest.split(',').map(str::trim) {
                        match word {
                            "branchless" => test.style.branchless = true,
                            "parameters" => test.style.parameters = true,
                            _ => return Err(format!("line {at}: `{word}` is not a style")),
                        }
                    }
                    continue;
                }
                "expect" => pair().map(|(name, value)| Expectation::Expect(name, value))?,
                "output" => pair().map(|(name, value)| Expectation::Output(name, value))?,
                "emitted" => pair().map(|(name, value)| Expectation::Emitted(name, value))?,
                "never" => Expectation::Never,
                "discarded" => Expectation::Discarded,
                "finding" => {
                    let (code, text) = rest.split_once(' ').unwrap_or((rest, "\"\""));
                    Expectation::Finding(code.to_owned(), quoted(text)?)
                }
                _ => return Err(format!("line {at}: unknown directive `{word}`")),
            };
            if alone {
                waiting.push(test.directives.len());
            }
            test.directives.push(Directive { line: if alone { END } else { at }, at, kind });
        }
    }
    if test.directives.is_empty() {
        return Err("the file has no expectations".to_owned());
    }
    Ok(test)
}

/// Parses `storage`, `integers 4`, `floats 4`, `bytes`, `feedback 8`, `points`.
fn transport(text: &str) -> Option<Transport> {
    let (word, count) = text.split_once(' ').unwrap_or((text, "1"));
    let count = count.trim().parse().ok()?;
    Some(match word {
        "storage" => Transport::Storage,
        "integers" => Transport::IntegerTargets(count),
        "floats" => Transport::FloatTargets(count),
        "bytes" => Transport::Bytes,
        "feedback" => Transport::Feedback(count),
        "points" => Transport::PointGrid,
        _ => return None,
    })
}
