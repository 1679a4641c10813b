//! WebGL's conformance pages in a browser: every shader that they compile, every program that they link.
//!
//! The pages make most of their shaders by scripts, so the texts are taken where they reach the browser. A small server
//! on this machine hands the pages out, each with a script in front that records compilations and what came of them.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value, json};
use shader::version::Stage;

use super::super::case::{Answer, Verdict};
use super::chromium::{glsl_name, limits};
use crate::{files, process, setup};

const HOOK: &str = include_str!("suite/hook.js");
const HARNESS: &str = include_str!("suite/harness.html");
/// How long the browser may say nothing: a page may take 15 seconds.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The longest answer of a page.
const MOST_BYTES: usize = 256 << 20;

/// A shader that a page compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The page.
    pub page: String,
    /// WebGL 1 or 2.
    pub context: u8,
    /// Vertex or fragment.
    pub stage: Stage,
    /// Its text.
    pub text: String,
    /// The extensions that were enabled, as GLSL calls them.
    pub extensions: Vec<String>,
    /// The browser's limits.
    pub limits: Vec<(String, i32)>,
    /// The browser's verdict.
    pub theirs: Verdict,
}

/// A program that a page linked.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its shaders: indices of [`Found::shaders`].
    pub shaders: [usize; 2],
    /// The browser's verdict.
    pub theirs: Verdict,
}

/// What all pages did.
#[derive(Default)]
pub struct Found {
    /// Their shaders.
    pub shaders: Vec<Compiled>,
    /// Their programs.
    pub programs: Vec<Program>,
    /// Pages that compiled nothing.
    pub silent: usize,
}

/// Opens all pages of the suite whose path contains `filter`, or reads what an earlier run found.
pub fn collect(folder: &Path, filter: &str, again: bool) -> anyhow::Result<Found> {
    let cache = process::corpus_dir().join("webgl").join("suite.json");
    let reports: Vec<Value> = if again {
        let text = std::fs::read_to_string(&cache).with_context(|| format!("cannot read {}", cache.display()))?;
        serde_json::from_str(&text)?
    } else {
        let reports = browse(folder, filter)?;
        std::fs::create_dir_all(cache.parent().unwrap_or(folder))?;
        std::fs::write(&cache, serde_json::to_string(&reports)?)?;
        reports
    };
    let mut found = Found::default();
    for report in reports.iter().filter(|report| report["page"].as_str().is_some_and(|page| page.contains(filter))) {
        read(report, &mut found)?;
    }
    Ok(found)
}

fn browse(folder: &Path, filter: &str) -> anyhow::Result<Vec<Value>> {
    setup::ensure(&["chromium"])?;
    let mut pages: Vec<String> = files::below(folder)?
        .iter()
        .filter(|path| files::extension(path) == "html")
        .filter_map(|path| Some(path.strip_prefix(folder).ok()?.to_str()?.to_owned()))
        .filter(|page| page.starts_with("conformance") && page.contains(filter))
        .filter(|page| ["/glsl/", "/glsl3/", "/ogles/"].iter().any(|part| page.contains(part)))
        .collect();
    pages.sort_unstable();
    if pages.is_empty() {
        bail!("{} has no pages of WebGL's conformance suite; name its folder sdk/tests", folder.display());
    }
    println!("{} pages", pages.len());
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on this machine")?;
    let url = format!("http://{}/harness", listener.local_addr()?);
    let harness = HARNESS.replace("$PAGES", &json!(pages).to_string());
    let (send, reports) = mpsc::channel();
    let root = folder.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (root, harness, send) = (root.clone(), harness.clone(), send.clone());
            // A connection that breaks costs its page, whose report will be missing.
            std::thread::spawn(move || serve(&stream, &root, &harness, &send).ok());
        }
    });
    let _browser = Browser::start(&url)?;
    let mut all = Vec::with_capacity(pages.len());
    loop {
        match reports.recv_timeout(TIMEOUT) {
            Ok(Some(report)) => all.push(report),
            Ok(None) => break,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                bail!("chromium said nothing for {TIMEOUT:?}, after {} of {} pages", all.len(), pages.len());
            }
        }
    }
    Ok(all)
}

/// A browser, which is ended when this value is dropped.
struct Browser {
    child: Child,
    profile: PathBuf,
}

impl Browser {
    fn start(url: &str) -> anyhow::Result<Browser> {
        let profile = process::corpus_dir().join("webgl").join(format!("profile-{}", std::process::id()));
        let child = Command::new("chromium")
            .args(["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
            .args(["--ignore-gpu-blocklist", "--no-first-run", "--disable-gpu-watchdog"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start chromium")?;
        Ok(Browser { child, profile })
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already; its profile is only a cache.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// Answers one request.
fn serve(stream: &TcpStream, root: &Path, harness: &str, send: &Sender<Option<Value>>) -> anyhow::Result<()> {
    let mut input = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    input.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
    let mut length = 0;
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>()?.min(MOST_BYTES);
        }
    }
    let path = target.split('?').next().unwrap_or_default().trim_start_matches('/');
    let (kind, body): (&str, Vec<u8>) = match (method.as_str(), path) {
        ("POST", "found") => {
            let mut body = vec![0; length];
            input.read_exact(&mut body)?;
            send.send(Some(serde_json::from_slice(&body)?))?;
            ("text/plain", Vec::new())
        }
        ("POST", _) => {
            send.send(None)?;
            ("text/plain", Vec::new())
        }
        (_, "harness") => ("text/html", harness.as_bytes().to_vec()),
        _ => {
            let relative = Path::new(path);
            let inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
            let bytes = if inside { std::fs::read(root.join(relative)).ok() } else { None };
            match (bytes, files::extension(relative)) {
                (None, _) => return respond(stream, "404 Not Found", "text/plain", b""),
                (Some(text), "html") => {
                    let mut page = format!("<script>const LIMITS = {};\n{HOOK}</script>", limits()).into_bytes();
                    page.extend(text);
                    ("text/html", page)
                }
                (Some(text), "js") => ("text/javascript", text),
                (Some(text), "css") => ("text/css", text),
                (Some(bytes), _) => ("text/plain", bytes),
            }
        }
    };
    respond(stream, "200 OK", kind, &body)
}

fn respond(mut stream: &TcpStream, status: &str, kind: &str, body: &[u8]) -> anyhow::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(body)?;
    Ok(stream.flush()?)
}

/// Adds what a page did.
fn read(report: &Value, found: &mut Found) -> anyhow::Result<()> {
    let page = report["page"].as_str().context("a report has no page")?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let first = found.shaders.len();
    let answered = |value: &Value, refused: Answer| {
        let ok = value["ok"] == true;
        let log = value["log"].as_str().unwrap_or_default().trim_matches(['-', '\n', '\0']).to_owned();
        Verdict { answer: if ok { Answer::Accepted } else { refused }, log: if ok { String::new() } else { log } }
    };
    for shader in list(&report["found"]["shaders"]) {
        let context = if shader["context"] == 2 { 2 } else { 1 };
        let limits = report["found"]["limits"][context.to_string()].as_object();
        let limit = |(name, value): (&String, &Value)| Some((name.clone(), i32::try_from(value.as_i64()?).ok()?));
        let extensions: BTreeSet<String> =
            list(&shader["extensions"]).iter().filter_map(|name| name.as_str().map(glsl_name)).collect();
        let mut limits: Vec<(String, i32)> = limits.into_iter().flatten().filter_map(limit).collect();
        if context == 1 && !extensions.contains("GL_EXT_draw_buffers") {
            limits.push(("gl_MaxDrawBuffers".to_owned(), 1));
        }
        found.shaders.push(Compiled {
            page: page.to_owned(),
            context,
            stage: if shader["vertex"] == true { Stage::Vertex } else { Stage::Fragment },
            text: shader["text"].as_str().unwrap_or_default().to_owned(),
            extensions: extensions.into_iter().collect(),
            limits,
            theirs: answered(&shader, Answer::CompileError),
        });
    }
    for program in list(&report["found"]["programs"]) {
        let index = |at: usize| Some(first + usize::try_from(program["shaders"][at].as_u64()?).ok()?);
        let (Some(a), Some(b)) = (index(0), index(1)) else { continue };
        if a.max(b) < found.shaders.len() {
            found.programs.push(Program { shaders: [a, b], theirs: answered(&program, Answer::LinkError) });
        }
    }
    found.silent += usize::from(found.shaders.len() == first);
    Ok(())
}
