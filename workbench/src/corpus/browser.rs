//! Pages in a browser: a small server on this machine hands them out, each with a script in front that records what the
//! page compiles and links, and the pages post what they found.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::{files, process, setup};

/// The script that records compilations; it needs the constant `LIMITS`.
pub const HOOK: &str = include_str!("browser/hook.js");
/// The longest answer of a page.
const MOST_BYTES: usize = 256 << 20;

/// What the server hands out.
pub struct Site {
    /// The script in front of each page that comes from a folder.
    pub script: String,
    /// Pages that were made for this run, by their paths.
    pub made: BTreeMap<String, String>,
    /// Folders by the beginnings of paths; the first one that fits is taken.
    pub folders: Vec<(&'static str, PathBuf)>,
}

impl Site {
    /// Opens a page, and returns what is posted to `/found` until something is posted to another path.
    pub fn open(self, page: &str, silence: Duration) -> anyhow::Result<Vec<Value>> {
        setup::ensure(&["chromium"])?;
        let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on this machine")?;
        let url = format!("http://{}/{page}", listener.local_addr()?);
        let (send, reports) = mpsc::channel();
        let site = Arc::new(self);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (site, send) = (Arc::clone(&site), send.clone());
                // A connection that breaks costs its page, whose report will be missing.
                std::thread::spawn(move || site.serve(&stream, &send).ok());
            }
        });
        let _browser = Browser::start(&url)?;
        let mut all = Vec::new();
        loop {
            match reports.recv_timeout(silence) {
                Ok(Some(report)) => all.push(report),
                Ok(None) => return Ok(all),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    bail!("chromium said nothing for {silence:?}, after {} reports, on {page}", all.len());
                }
            }
        }
    }

    /// Answers one request.
    fn serve(&self, stream: &TcpStream, send: &Sender<Option<Value>>) -> anyhow::Result<()> {
        let mut input = BufReader::new(stream.try_clone()?);
        let mut line = String::new();
        input.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let (method, target) =
            (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default().to_owned());
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
        if method == "POST" {
            let mut body = vec![0; length];
            input.read_exact(&mut body)?;
            send.send(if path == "found" { Some(serde_json::from_slice(&body)?) } else { None })?;
            return respond(stream, "200 OK", "text/plain", b"");
        }
        if let Some(page) = self.made.get(path) {
            return respond(stream, "200 OK", "text/html", page.as_bytes());
        }
        let Some(bytes) = self.read(path) else { return respond(stream, "404 Not Found", "text/plain", b"") };
        match files::extension(Path::new(path)) {
            "html" => {
                let mut page = format!("<script>{}</script>", self.script).into_bytes();
                page.extend(bytes);
                respond(stream, "200 OK", "text/html", &page)
            }
            "js" | "mjs" => respond(stream, "200 OK", "text/javascript", &bytes),
            "css" => respond(stream, "200 OK", "text/css", &bytes),
            _ => respond(stream, "200 OK", "text/plain", &bytes),
        }
    }

    /// Returns a file of the folders; no path leads out of them.
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let (rest, folder) =
            self.folders.iter().find_map(|(prefix, folder)| Some((path.strip_prefix(prefix)?, folder)))?;
        let rest = Path::new(rest);
        let inside = rest.components().all(|part| matches!(part, Component::Normal(_)));
        if inside { std::fs::read(folder.join(rest)).ok() } else { None }
    }
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

/// A browser, which is ended when this value is dropped.
struct Browser {
    child: Child,
    profile: PathBuf,
}

impl Browser {
    fn start(url: &str) -> anyhow::Result<Browser> {
        let profile = process::corpus_dir().join("browser").join(format!("profile-{}", std::process::id()));
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
