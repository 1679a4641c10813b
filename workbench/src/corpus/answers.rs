//! A cache of driver answers: a file per driver version, with one line per answer, `KEY TEXT`.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;

use anyhow::Context;
use serde_json::Value;

use super::mesa::Offers;
use crate::process;

/// Cached answers by key.
pub struct Answers {
    known: HashMap<String, String>,
    file: File,
}

/// Returns the key of a job, a hash of all its fields.
pub fn key(job: &Value) -> String {
    blake3::hash(job.to_string().as_bytes()).to_hex()[..32].to_owned()
}

impl Answers {
    /// Opens the cache of this driver version, in a folder among the corpora.
    pub fn open(folder: &str, offers: &Offers) -> anyhow::Result<Answers> {
        let versions: String = offers.values().map(|o| o.version.as_str()).collect();
        let folder = process::corpus_dir().join(folder);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let path = folder.join(&blake3::hash(versions.as_bytes()).to_hex()[..16]);
        let bytes = if path.exists() { std::fs::read(&path) } else { Ok(Vec::new()) };
        let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let file = File::options().create(true).append(true).open(&path);
        let mut file = file.with_context(|| format!("cannot open {}", path.display()))?;
        // A line cut off by an interrupted run is not an answer, and the next one must not be appended to it.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.write_all(b"\n")?;
        }
        let entry = |line: &str| line.split_once(' ').map(|(key, text)| (key.to_owned(), text.to_owned()));
        Ok(Answers { known: text[..whole].lines().filter_map(entry).collect(), file })
    }

    /// Returns the cached answer, if there is one.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.known.get(key).map(String::as_str)
    }

    /// Stores an answer, which has one line.
    pub fn store(&mut self, key: &str, text: String) -> anyhow::Result<()> {
        self.file.write_all(format!("{key} {text}\n").as_bytes())?;
        self.known.insert(key.to_owned(), text);
        Ok(())
    }
}
