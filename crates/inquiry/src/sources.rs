//! The texts of generated shaders as files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use instrument::{Transport, Variant};
use shader::version::Stage;
use trace::PrivateFolder;

/// Where generated texts are kept.
#[derive(Default)]
pub struct Sources {
    /// All are kept here; else only those that a driver refuses are kept, among temporary files.
    folder: Option<PathBuf>,
    /// A folder of temporary files that only the user can look into.
    temporary: Option<PathBuf>,
    /// Transports whose variants are made wrong.
    spoiled: Vec<String>,
    /// The last file of each draw, stage and transport.
    files: BTreeMap<(u64, Stage, Transport), PathBuf>,
    last: Option<PathBuf>,
    count: usize,
}

impl Sources {
    pub fn keep(&mut self, folder: &Path) {
        self.folder = Some(folder.to_owned());
    }

    pub fn spoil(&mut self, transports: &[String]) {
        self.spoiled = transports.to_vec();
    }

    /// A variant that no driver takes, if such are wanted.
    pub fn spoiled(&self, variant: &Variant) -> Option<Variant> {
        let wanted = self.spoiled.iter().any(|name| name == variant.transport.name());
        wanted.then(|| {
            let mut variant = variant.clone();
            variant.strings.push("\n#error spoiled on purpose\n".to_owned());
            variant
        })
    }

    /// A variant is about to be run.
    pub fn saw(&mut self, command: u64, variant: &Variant, stage: Stage) {
        if let Some(folder) = self.folder.clone() {
            self.write(&folder, command, variant, stage);
        }
    }

    /// A variant was refused.
    pub fn rejected(&mut self, command: u64, variant: &Variant, stage: Stage) {
        // A browser has no files.
        if self.folder.is_none() && cfg!(not(target_family = "wasm")) {
            // The message that names the file is read after this process has ended, so the folder stays.
            if self.temporary.is_none() {
                self.temporary = PrivateFolder::new().ok().map(PrivateFolder::keep);
            }
            if let Some(folder) = self.temporary.clone() {
                self.write(&folder, command, variant, stage);
            }
        }
    }

    /// The file with the last text of a draw's stage and transport.
    pub fn path(&self, command: u64, transport: Transport, stage: Stage) -> Option<PathBuf> {
        self.files.get(&(command, stage, transport)).cloned()
    }

    /// The file that was written last.
    pub fn last(&self) -> Option<PathBuf> {
        self.last.clone()
    }

    fn write(&mut self, folder: &Path, command: u64, variant: &Variant, stage: Stage) {
        let text = variant.strings.concat();
        let key = (command, stage, variant.transport);
        // The windows of one answer are runs of one text.
        let same = self.files.get(&key).is_some_and(|path| std::fs::read_to_string(path).is_ok_and(|old| old == text));
        if same {
            return;
        }
        let stage = stage.name().replace(' ', "-");
        let name = format!("{command}-{stage}-{}-{}.glsl", variant.transport.name(), self.count);
        let path = folder.join(name);
        // A text that cannot be kept is no reason to give no answer; its file is then not named.
        if std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, &text)).is_ok() {
            self.count += 1;
            self.last = Some(path.clone());
            self.files.insert(key, path);
        }
    }
}
