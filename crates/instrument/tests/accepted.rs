//! Variants of all filetests, with every transport: our front end parses them without errors, and a driver compiles
//! them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use driver::{Api, Context};
use instrument::{CompilerWorkarounds, Detail, Device, Question, Refusal, Scope, Subject, Transport, weave};
use shader::version::{Options, Profile, Stage, Version};
use testing::driver::context;

const TRANSPORTS: [Transport; 8] = [
    Transport::Storage,
    Transport::IntegerTargets(2),
    Transport::FloatTargets(1),
    Transport::FloatTargets(2),
    Transport::Bytes,
    Transport::Feedback(6),
    Transport::PointGrid,
    Transport::Memory(64),
];

/// The results for all variants.
#[derive(Default, Debug)]
struct Tally {
    read: usize,
    compiled: usize,
    refused: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

struct Drivers {
    desktop: Context,
    es: Context,
}

impl Drivers {
    fn new() -> Drivers {
        Drivers { desktop: context(Api::DesktopCompatibility), es: context(Api::Es) }
    }

    /// The context that supports a version.
    fn of(&self, version: Version) -> Option<&Context> {
        let context = if version.is_es() { &self.es } else { &self.desktop };
        Some(context).filter(|context| context.glsl_version().is_ok_and(|newest| newest >= version.number))
    }
}

fn device(context: Option<&Context>) -> Device {
    let named = ["GL_ARB_shader_storage_buffer_object", "GL_ARB_uniform_buffer_object", "GL_ARB_shader_bit_encoding"];
    let extensions = match context {
        Some(context) => context.extensions().expect("the extensions").iter().collect(),
        None => named.into_iter().collect(),
    };
    Device {
        newest: Version { number: 460, profile: Profile::Compatibility },
        storage_blocks: [8; 6],
        storage_bindings: 16,
        integer_targets: true,
        float_targets: true,
        targets: 8,
        feedback_words: 64,
        extensions,
        style: CompilerWorkarounds::default(),
    }
}

fn compiles(context: &Context, stage: Stage, strings: &[String]) -> Result<(), String> {
    let texts: Vec<&str> = strings.iter().map(String::as_str).collect();
    let compiled = context.compile(stage, &texts).expect("an answer");
    if compiled.ok { Ok(()) } else { Err(compiled.log) }
}

fn check(name: &str, strings: &[String], options: &Options, drivers: &Drivers, tally: &mut Tally) {
    let shader = shader::analyze(strings, options);
    if shader.has_errors() {
        return;
    }
    let version = shader.preprocessed.version;
    // Shaders that the driver rejects even without probes are not counted.
    let context = drivers.of(version).filter(|context| compiles(context, options.stage, strings).is_ok());
    let subject = Subject { shader: &shader, options, written: None };
    let mut device = device(context);
    // WebGL 1 has one colour target, and indexes arrays by constants and loop counters only.
    let offered = |way: &Transport| !options.webgl || !matches!(way, Transport::FloatTargets(2) | Transport::Memory(_));
    let questions = [Question::Recording { detail: Detail::Expressions }, Question::LiveIns, Question::Ends];
    for question in questions {
        let styles = [(false, false), (true, false), (false, true)];
        for (transport, (branchless, parameters)) in
            TRANSPORTS.into_iter().filter(offered).flat_map(|way| styles.map(|style| (way, style)))
        {
            device.style = CompilerWorkarounds { branchless, parameters, ..CompilerWorkarounds::default() };
            let scope = if transport == Transport::FloatTargets(2) { Scope::All } else { Scope::One };
            let variant = match weave(subject, &question, scope, &device, transport) {
                Ok(variant) => variant,
                Err(Refusal::Impossible(why)) => {
                    *tally.refused.entry(why).or_default() += 1;
                    continue;
                }
                Err(other) => {
                    tally.wrong.push(format!("{name} {transport:?}: {other}"));
                    continue;
                }
            };
            let read = shader::analyze(&variant.strings, options);
            let text = variant.strings.concat();
            if read.has_errors() {
                let first = read.diagnostics.iter().find(|d| d.severity == shader::diagnostic::Severity::Error);
                tally.wrong.push(format!("{name} {transport:?}: {first:?}\n{text}"));
                continue;
            }
            tally.read += 1;
            if let Some(context) = context {
                match compiles(context, options.stage, &variant.strings) {
                    Ok(()) => tally.compiled += 1,
                    Err(log) => tally.wrong.push(format!("{name} {transport:?}: {log}\n{text}")),
                }
            }
        }
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "glsl") {
            found.push(path);
        }
    }
}

#[test]
fn variants_of_the_filetests_are_accepted() {
    let drivers = Drivers::new();
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filetests"), &mut paths);
    paths.sort();
    let mut tally = Tally::default();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("the file");
        for shader in testing::filetest::read(&text).expect("a filetest") {
            let name = format!("{name} {}", shader.version.unwrap_or_default());
            check(&name, &[shader.text], &shader.options, &drivers, &mut tally);
        }
    }
    for (why, count) in &tally.refused {
        eprintln!("{count:4} refused: {why}");
    }
    eprintln!("{} read, {} compiled", tally.read, tally.compiled);
    assert!(
        tally.wrong.is_empty(),
        "{} wrong\n{}",
        tally.wrong.len(),
        tally.wrong[..tally.wrong.len().min(3)].join("\n")
    );
    assert!(tally.read > 10_000, "{}", tally.read);
    assert!(tally.compiled * 100 > tally.read * 98, "{} of {}", tally.compiled, tally.read);
}
