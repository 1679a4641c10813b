//! Positions carry everything that makes a place, the device is asked for nothing twice, and traces are shared.

use std::sync::{Arc, Mutex};

use device::{Ask, Control, Device, DeviceError, Reply};
use host::{Host, OpenOptions};
use session::{Choice, HistoryRequest, Position, Scope, Session, Step, Verdict, When};

use crate::points::lit;
use crate::traces::{demo, recorded};

/// A device that writes down what it is asked.
struct Logged {
    device: worker::PooledDevice,
    asked: Arc<Mutex<Vec<Ask>>>,
}

impl Device for Logged {
    fn ask(&mut self, ask: &Ask, control: &Control) -> Result<Reply, DeviceError> {
        self.asked.lock().unwrap().push(ask.clone());
        self.device.ask(ask, control)
    }
}

pub fn nothing_twice() {
    for (name, x, y) in [("deferred", 48, 12), ("chain", 20, 20)] {
        let (host, options) = (Host::new(), OpenOptions::new(recorded(name)));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let device = Logged { device: host.pool(&options).unwrap().device(), asked: Arc::clone(&asked) };
        let mut session = Session::new(host.trace(&options.trace).unwrap(), Box::new(device));
        session.enter(&Choice::Pixel { frame: None, x, y }).unwrap();
        let inputs = session.variables(0, Scope::Inputs).unwrap();
        assert!(inputs.iter().all(|input| input.value.agreement.is_some()), "{name}: inputs are measured: {inputs:?}");
        let runs = |asked: &[Ask]| asked.iter().filter(|ask| matches!(ask, Ask::Run { .. })).count();
        assert_eq!(runs(&asked.lock().unwrap()), 1, "{name}: the draw runs once to find the fragment and its inputs");
        session.step(Step::ToEnd).unwrap();
        for scope in Scope::ALL {
            session.variables(0, scope).unwrap();
        }
        let asked = asked.lock().unwrap();
        assert_eq!(runs(&asked), 2, "{name}: and once more to record it");
        for (at, ask) in asked.iter().enumerate() {
            assert!(!asked[..at].contains(ask), "{name} asks twice: {ask:?}");
        }
        assert!(asked.len() <= 5, "{name} asks {} questions from a click to the end: {asked:?}", asked.len());
    }
}

pub fn positions() {
    let (mut session, _, choice) = lit();
    session.step(Step::Over).unwrap();
    session.set_uniform("sun_direction", &[0.0, 1.0, 0.0]).unwrap();
    session.step(Step::Over).unwrap();
    let locals = session.variables(0, Scope::Locals).unwrap();
    let first = locals.iter().find(|local| local.type_name == "float").expect("a float is declared by now");
    session.set_variable(0, &first.path, "0.75").unwrap();
    session.step(Step::Over).unwrap();
    let (position, state) = (session.position().unwrap(), session.fingerprint().unwrap());
    let shown = session.variables(0, Scope::Locals).unwrap();
    // Elsewhere, and back.
    session.enter(&choice).unwrap();
    assert_ne!(session.fingerprint().unwrap(), state);
    let stop = session.go_to(&position).unwrap();
    assert!(stop.diverted);
    assert_eq!((session.fingerprint().unwrap(), session.variables(0, Scope::Locals).unwrap()), (state, shown));
    assert_eq!(session.position().unwrap(), position);
    // As text, in a session that knows nothing.
    let text = serde_json::to_string(&position).unwrap();
    let read: Position = serde_json::from_str(&text).unwrap();
    let (mut other, _) = demo("deferred");
    other.go_to(&read).unwrap();
    assert_eq!(other.fingerprint().unwrap(), state);
    assert_eq!(other.passes()[0].changes, ["uniform sun_direction = 0, 1, 0"]);
    // What was changed can be undone there, too.
    other.undo_changes().unwrap();
    assert!(!other.here().unwrap().diverted);
    // A position that means nothing is refused.
    let mut wrong = read;
    wrong.passes[0].edits[0].words.push(1);
    assert!(other.go_to(&wrong).is_err());
}

pub fn without_presents() {
    let (mut session, _) = demo("unpresented");
    assert!(session.trace().reader().presents().is_empty());
    let pixel = Choice::Pixel { frame: None, x: 48, y: 12 };
    let request = HistoryRequest { depth: Some(0), ..HistoryRequest::of(&pixel).unwrap() };
    let history = session.history(&request).unwrap();
    let stop = session.enter(&pixel).unwrap();
    assert_eq!(history.nodes[0].command, stop.invocation.command);
}

pub fn shared() {
    let (host, options) = (Host::new(), OpenOptions::new(recorded("deferred")));
    let mut first = host.session(&options).unwrap();
    let mut second = host.session(&options).unwrap();
    assert!(Arc::ptr_eq(first.trace(), second.trace()), "the trace is read once");
    let pixel = Choice::Pixel { frame: None, x: 48, y: 12 };
    let stops = [first.enter(&pixel).unwrap(), second.enter(&pixel).unwrap()];
    assert_eq!(stops[0], stops[1]);
    let pool = host.pool(&options).unwrap();
    assert_eq!(pool.started(), 1, "sessions that take turns share a worker");
    // Both at the same time.
    let both = std::thread::scope(|scope| {
        let walk = |mut session: Session| session.step(Step::ToEnd).unwrap();
        let (one, two) = (scope.spawn(move || walk(first)), scope.spawn(move || walk(second)));
        [one.join().unwrap(), two.join().unwrap()]
    });
    assert_eq!(both[0], both[1]);
}

/// A program may have a texture bound when it presents its surface, which has no alpha.
pub fn presented() {
    let (mut session, draws) = demo("bound");
    let shown = session.frame_shown(1).unwrap();
    let alpha = |session: &mut Session, command: u64| {
        let picture = session.picture(command).unwrap().unwrap();
        picture.rgba[(27 * picture.width as usize + 48) * 4 + 3]
    };
    assert_eq!(alpha(&mut session, shown), 255);
    assert_ne!(alpha(&mut session, *draws.last().unwrap()), 255, "the texture has one");
    let history = session.history(&HistoryRequest::new([48, 27], SHOWN)).unwrap();
    assert_eq!(history.picture.verdict, Verdict::Equal);
    assert!(history.target.starts_with("surface"), "{}", history.target);
}

/// A device whose pictures are not what it draws: the first channel of a pixel has other bits.
struct Lying {
    device: worker::PooledDevice,
    /// Pixels that were read for pictures.
    read: Arc<Mutex<usize>>,
}

impl Device for Lying {
    fn ask(&mut self, ask: &Ask, control: &Control) -> Result<Reply, DeviceError> {
        let mut reply = self.device.ask(ask, control)?;
        if matches!(ask, Ask::Pixel { .. }) {
            *self.read.lock().unwrap() += 1;
            reply.bytes[0] ^= 0x80;
        }
        Ok(reply)
    }
}

pub fn wrong_histories() {
    let (host, options) = (Host::new(), OpenOptions::new(recorded("chain")));
    let read = Arc::new(Mutex::new(0));
    let device = Lying { device: host.pool(&options).unwrap().device(), read: Arc::clone(&read) };
    let mut session = Session::new(host.trace(&options.trace).unwrap(), Box::new(device));
    let mut honest = host.session(&options).unwrap();
    for rows in [false, true] {
        let request = HistoryRequest { depth: Some(0), rows, nodes: !rows, ..HistoryRequest::new([20, 20], SHOWN) };
        let history = session.history(&request).unwrap();
        assert!(history.picture.is_wrong(), "{:?}", history.picture);
        assert_eq!(history.picture.explained, history.value);
        assert_ne!(history.picture.shown, history.value);
        let sentence = history.picture.sentence().unwrap();
        assert!(sentence.starts_with("this history does not explain the picture: it leads to "), "{sentence}");
        let history = honest.history(&request).unwrap();
        assert_eq!((&history.picture.verdict, history.picture.sentence()), (&Verdict::Equal, None));
        assert_eq!(history.picture.shown, history.value);
    }
    assert_eq!(*read.lock().unwrap(), 2, "one pixel for each history");
}

/// When a frame is shown.
const SHOWN: When = When::Shown(None);
