//! The inspector with fake devices: each knows the answers of all invocations and returns them as a variant with the
//! transport would.

use instrument::inspect::{Ask, Raw, Run};
use instrument::stream::{BLOCK_HEADER, Facts};
use instrument::{
    CompilerWorkarounds, Controls, Device, InspectContext, InspectError, Inspector, Layout, Question, Refusal, Scope,
    Site, Subject, Transport, Variant, What,
};
use shader::Shader;
use shader::ast::{ExprId, NodeId};
use shader::types::Type;
use shader::version::{Options, Profile, Stage, Version};

/// A device whose invocations answer with given streams.
struct Fake {
    device: Device,
    /// Identity and stream.
    streams: Vec<([i32; 4], Vec<u32>)>,
    rejects: Vec<Transport>,
    /// Whether rejected variants are accepted without branches.
    takes_weights: bool,
    takes_parameters: bool,
    runs: u32,
    compiled: u32,
}

impl Fake {
    fn new(lengths: &[u32]) -> Fake {
        let device = Device {
            newest: Version { number: 460, profile: Profile::Core },
            storage_blocks: [4; 6],
            storage_bindings: 8,
            integer_targets: true,
            float_targets: true,
            targets: 2,
            feedback_words: 6,
            extensions: instrument::Extensions::default(),
            style: CompilerWorkarounds::default(),
        };
        let stream = |place: u32, count: u32| {
            let mut words = vec![2 + 2 * count, Facts::RAN | Facts::REACHED];
            (0..count).for_each(|n| words.extend([1, place * 1000 + n]));
            words
        };
        let who = |place: u32| [place.cast_signed(), 0, 0, 0];
        let streams = (0u32..).zip(lengths).map(|(place, &count)| (who(place), stream(place, count))).collect();
        Fake {
            device,
            streams,
            rejects: Vec::new(),
            takes_weights: false,
            takes_parameters: false,
            runs: 0,
            compiled: 0,
        }
    }

    fn wanted(&self, pick: [i32; 4]) -> impl Iterator<Item = &([i32; 4], Vec<u32>)> {
        self.streams.iter().filter(move |(who, _)| pick.iter().zip(who).all(|(p, w)| *p < 0 || p == w))
    }
}

impl InspectContext for Fake {
    fn device(&self) -> &Device {
        &self.device
    }

    fn run(&mut self, variant: &Variant, _: Stage, _: Scope, run: Run) -> Result<Raw, InspectError> {
        self.runs += 1;
        assert!(run.on);
        let branches = !variant.strings.concat().ends_with("without branches");
        let globals = !variant.strings.concat().ends_with("by parameters");
        let refuses = (branches || !self.takes_weights) && (globals || !self.takes_parameters);
        if self.rejects.contains(&variant.transport) && refuses {
            self.compiled += 1;
            let log = format!("0:1: no {:?}", variant.transport);
            return Err(InspectError::Rejected { log, source_text: variant.strings.concat() });
        }
        let window = |stream: &[u32], count: u32| -> Vec<u32> {
            (run.base..run.base + count).map(|at| stream.get(at as usize).copied().unwrap_or(0)).collect()
        };
        Ok(match (variant.transport, variant.transport.window()) {
            (_, None) => {
                let count = self.wanted(run.pick).count() as u32;
                let mut words = vec![count, run.room[0], 0, 0];
                for (who, stream) in self.wanted(run.pick).take(run.room[1] as usize) {
                    let mut region: Vec<u32> = who.iter().map(|n| n.cast_unsigned()).chain(stream.clone()).collect();
                    region.resize(run.room[0] as usize, 0);
                    words.extend(region);
                }
                words.resize((BLOCK_HEADER + run.room[0] * run.room[1]) as usize, 0);
                Raw::Block(words)
            }
            (Transport::Feedback(_), Some(count)) => {
                // Each vertex belongs to two primitives.
                let rows = self.streams.iter().chain(&self.streams);
                let row = |(who, stream): &([i32; 4], Vec<u32>)| {
                    who.iter().map(|n| n.cast_unsigned()).chain(window(stream, count)).collect::<Vec<u32>>()
                };
                Raw::List(rows.flat_map(row).collect())
            }
            (_, Some(count)) => {
                let silent = vec![0; 2];
                let answers = |place: &([i32; 4], Vec<u32>)| self.wanted(run.pick).any(|other| other == place);
                let stream = |place| if answers(place) { &place.1 } else { &silent };
                let words = self.streams.iter().flat_map(|place| window(stream(place), count)).collect();
                Raw::Grid { rectangle: [0, 0, self.streams.len() as u32, 1], words }
            }
        })
    }
}

fn weave(
    subject: Subject<'_>,
    _: &Question,
    _: Scope,
    device: &Device,
    transport: Transport,
) -> Result<Variant, Refusal> {
    if let Transport::FloatTargets(_) = transport {
        return Err(Refusal::Impossible("no floats today".to_owned()));
    }
    let site = |words| Site { what: What::Value(NodeId::Expr(ExprId(0))), ty: Type::UINT, words };
    let layout =
        Layout { sites: vec![site(0), site(1)], types: subject.shader.typed.types.clone(), moment: None, slots: None };
    let name = || String::new();
    let (binding, upper_left, outputs) = (None, false, Vec::new());
    let controls = Controls {
        on: name(),
        pick: name(),
        base: name(),
        block: name(),
        binding,
        late: false,
        upper_left,
        regions: name(),
        vertex: None,
        grid: name(),
        outputs,
    };
    let spared = match (device.style.branchless, device.style.parameters) {
        (false, false) => "",
        (true, false) => " without branches",
        (false, true) => " by parameters",
        (true, true) => " by parameters and without branches",
    };
    let strings = vec![format!("{}{transport:?}{spared}", subject.shader.sources.text())];
    Ok(Variant { strings, fragment: None, transport, layout, controls })
}

fn read(stage: Stage, text: &str) -> (Shader, Options) {
    let options = Options::new(stage);
    (shader::analyze(&[text], &options), options)
}

fn ask(scope: Scope, pick: [i32; 4], transport: Option<Transport>) -> Ask {
    Ask { scope, pick, transport }
}

fn numbers(result: &instrument::InspectResult) -> Vec<Vec<f64>> {
    let values = |reading: &instrument::variant::Reading| {
        reading
            .records
            .iter()
            .flat_map(|record| record.value.as_ref().map(moment::glsl::Value::numbers))
            .flatten()
            .collect()
    };
    result.readings.iter().map(|(_, reading)| values(reading)).collect()
}

const ANY: [i32; 4] = [-1; 4];

#[test]
fn every_transport_gives_the_same_answer() {
    let (shader, options) = read(Stage::Fragment, "void main() {}");
    let subject = Subject { shader: &shader, options: &options, written: None };
    let expected = vec![vec![0.0], Vec::new(), vec![2000.0, 2001.0, 2002.0, 2003.0, 2004.0]];
    let ways = [
        (Transport::Storage, 1),
        (Transport::IntegerTargets(1), 3),
        (Transport::IntegerTargets(2), 2),
        (Transport::Bytes, 12),
        (Transport::Feedback(5), 3),
        (Transport::PointGrid, 12),
    ];
    for (way, runs) in ways {
        let mut inspector = Inspector::new(weave, 8);
        let mut fake = Fake::new(&[1, 0, 5]);
        let result = inspector.ask(&mut fake, subject, &Question::LiveIns, &ask(Scope::All, ANY, Some(way)));
        let result = result.expect("an answer");
        assert_eq!((numbers(&result), result.runs, result.transport), (expected.clone(), runs, way));
        let picked = ask(Scope::One, [2, -1, -1, -1], Some(way));
        let result = inspector.ask(&mut fake, subject, &Question::LiveIns, &picked).expect("an answer");
        if !matches!(way, Transport::Feedback(_)) {
            assert_eq!(numbers(&result), expected[2..], "{way:?}");
        }
    }
}

#[test]
fn a_block_that_is_too_small_is_enlarged() {
    let (shader, options) = read(Stage::Fragment, "void main() {}");
    let subject = Subject { shader: &shader, options: &options, written: None };
    let mut fake = Fake::new(&[3000; 20]);
    let storage = ask(Scope::One, ANY, Some(Transport::Storage));
    let result = Inspector::new(weave, 8).ask(&mut fake, subject, &Question::LiveIns, &storage).expect("an answer");
    assert_eq!((result.runs, result.readings.len()), (2, 20));
    assert!(result.readings.iter().all(|(_, reading)| reading.records.len() == 3000 && reading.lost == 0));
}

#[test]
fn rejected_transports_are_avoided_and_cached() {
    let (shader, options) = read(Stage::Fragment, "void main() {}");
    let subject = Subject { shader: &shader, options: &options, written: None };
    let mut fake = Fake::new(&[2]);
    fake.rejects = vec![Transport::Storage, Transport::IntegerTargets(2)];
    let mut inspector = Inspector::new(weave, 8);
    let one = ask(Scope::One, ANY, None);
    let first = inspector.ask(&mut fake, subject, &Question::LiveIns, &one).expect("an answer");
    // Floats are rejected by the weaver, which leaves bytes.
    assert_eq!((first.transport, first.cached, fake.compiled), (Transport::Bytes, false, 2));
    let logs: Vec<&str> = first.rejected.iter().map(|(_, log)| log.as_str()).collect();
    assert_eq!(logs, ["0:1: no Storage", "0:1: no IntegerTargets(2)"]);
    let second = inspector.ask(&mut fake, subject, &Question::LiveIns, &one).expect("an answer");
    assert_eq!((second.cached, fake.compiled, &second.rejected), (true, 2, &first.rejected));
    assert_eq!(second.readings, first.readings);
    fake.rejects.push(Transport::Bytes);
    let error = inspector.ask(&mut fake, subject, &Question::LiveIns, &one).expect_err("no transport is left");
    let InspectError::Rejected { log, source_text } = error else { panic!("{error}") };
    assert_eq!(
        (log.as_str(), source_text.as_str()),
        ("0:1: no Bytes", "void main() {}Bytes by parameters and without branches")
    );
}

#[test]
fn rejected_variants_are_tried_without_branches() {
    let (shader, options) = read(Stage::Vertex, "void main() {}");
    let subject = Subject { shader: &shader, options: &options, written: None };
    let mut fake = Fake::new(&[2]);
    fake.takes_weights = true;
    fake.rejects = vec![Transport::Storage, Transport::Feedback(2), Transport::PointGrid];
    let one = ask(Scope::One, ANY, None);
    let result = Inspector::new(weave, 8).ask(&mut fake, subject, &Question::LiveIns, &one).expect("an answer");
    // A storage block needs branches, so its state was passed through parameters.
    assert_eq!((result.transport, result.rejected.len(), fake.compiled), (Transport::Feedback(2), 4, 4));
    assert_eq!(numbers(&result), [[0.0, 1.0]]);
}

#[test]
fn rejected_variants_are_tried_with_parameters() {
    let (shader, options) = read(Stage::Fragment, "void main() {}");
    let subject = Subject { shader: &shader, options: &options, written: None };
    let mut fake = Fake::new(&[2]);
    fake.takes_parameters = true;
    fake.rejects = vec![Transport::Bytes];
    let one = ask(Scope::One, ANY, Some(Transport::Bytes));
    let result = Inspector::new(weave, 8).ask(&mut fake, subject, &Question::LiveIns, &one).expect("an answer");
    assert_eq!((result.transport, result.rejected.len(), fake.compiled), (Transport::Bytes, 2, 2));
    assert_eq!(numbers(&result), [[0.0, 1.0]]);
}

#[test]
fn workarounds_are_added_one_by_one() {
    let style =
        |branchless, parameters| CompilerWorkarounds { branchless, parameters, ..CompilerWorkarounds::default() };
    let all = |anyway: CompilerWorkarounds, transport: Transport| {
        std::iter::successors(Some(anyway), |style| style.next(anyway, transport)).collect::<Vec<CompilerWorkarounds>>()
    };
    let plain = style(false, false);
    let window = [plain, style(true, false), style(false, true), style(true, true)];
    assert_eq!(all(plain, Transport::Bytes), window);
    assert_eq!(all(plain, Transport::Storage), [plain, style(false, true)]);
    assert_eq!(all(style(true, false), Transport::Bytes), [style(true, false), style(true, true)]);
    assert_eq!(all(style(true, true), Transport::Bytes), [style(true, true)]);
}

#[test]
fn a_stage_without_transports_is_rejected() {
    let (shader, options) = read(Stage::Compute, "#version 430\nlayout(local_size_x = 1) in; void main() {}");
    let subject = Subject { shader: &shader, options: &options, written: None };
    let mut fake = Fake::new(&[1]);
    fake.device.storage_blocks = [0; 6];
    let asked = Inspector::new(weave, 8).ask(&mut fake, subject, &Question::LiveIns, &ask(Scope::One, ANY, None));
    assert!(matches!(asked, Err(InspectError::Refused(Refusal::Impossible(_)))));
    assert_eq!(fake.runs, 0);
}

#[test]
fn the_cache_evicts_the_least_recently_used() {
    let texts = ["void main() {}", "void main() { }", "void main() {  }"];
    let shaders: Vec<_> = texts.iter().map(|text| read(Stage::Fragment, text)).collect();
    let mut inspector = Inspector::new(weave, 2);
    let mut fake = Fake::new(&[1]);
    let mut cached = |which: usize| {
        let (shader, options) = &shaders[which];
        let asked = ask(Scope::One, ANY, Some(Transport::Storage));
        let result = inspector.ask(&mut fake, Subject { shader, options, written: None }, &Question::LiveIns, &asked);
        result.expect("an answer").cached
    };
    assert_eq!([0, 1, 0, 2, 0, 1].map(&mut cached), [false, false, true, false, true, false]);
    let statistics = inspector.statistics();
    assert_eq!((statistics.hits, statistics.misses, statistics.evicted, statistics.entries), (2, 4, 2, 2));
    // Another device may accept different source.
    fake.device.targets = 8;
    let (shader, options) = &shaders[1];
    let asked = ask(Scope::One, ANY, Some(Transport::Storage));
    let result = inspector.ask(&mut fake, Subject { shader, options, written: None }, &Question::LiveIns, &asked);
    assert!(!result.expect("an answer").cached);
}
