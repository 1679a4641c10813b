//! Creates files that belong to one user. A trace holds what a program showed on its screen, and the texts of its
//! shaders; in a folder that many users can write to, neither its contents nor its name may be open to the others.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// How many names are tried before it is no accident that all of them are taken.
const ATTEMPTS: usize = 16;

/// Returns the user's folder for caches, as an absolute path.
#[must_use]
pub fn caches() -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let caches = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(absolute);
    caches.or_else(|| Some(std::env::home_dir().filter(absolute)?.join(".cache")))
}

/// Creates a file that only the user can read and locks it until it is closed. With `replace`, an existing file is
/// emptied.
///
/// # Errors
/// When the file cannot be created; when it exists, without `replace`; when another process has locked it.
pub fn create(path: &Path, replace: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    // An existing file is emptied only when no other process writes to it.
    if replace {
        options.create(true).truncate(false);
    } else {
        options.create_new(true);
    }
    make_private(&mut options);
    let file = options.open(path)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let busy = "another recorder is writing to it; choose another name, or wait until it is done";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, busy));
        }
        // Some file systems have no locks.
        Err(TryLockError::Error(_)) | Ok(()) => {}
    }
    // Pipes and devices have neither contents nor an owner of their own.
    if replace && file.metadata()?.is_file() {
        file.set_len(0)?;
        restrict(&file);
    }
    Ok(file)
}

#[cfg(unix)]
fn make_private(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(not(unix))]
fn make_private(_options: &mut OpenOptions) {}

/// Takes the permissions of others away from a file that existed before.
#[cfg(unix)]
fn restrict(file: &File) {
    // The file may belong to another user who lets this one write to it; then it is theirs to protect.
    let _ = file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600));
}

#[cfg(not(unix))]
fn restrict(_file: &File) {}

/// A folder for temporary files that only the user can look into. It is removed with all that is in it when this is
/// dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
}

impl PrivateFolder {
    /// Creates a folder for temporary files.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn new() -> io::Result<PrivateFolder> {
        PrivateFolder::within(&std::env::temp_dir())
    }

    /// Creates a folder in another folder.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn within(parent: &Path) -> io::Result<PrivateFolder> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for attempt in 0..ATTEMPTS {
            // The standard library seeds its hashes with random numbers of the operating system.
            let number = RandomState::new().hash_one(attempt);
            let path = parent.join(format!("afterimage-{number:016x}"));
            match builder.create(&path) {
                Ok(()) => return Ok(PrivateFolder { path }),
                // A folder or link of that name is not used: another user may have made it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its path and leaves it where it is.
    #[must_use]
    pub fn keep(mut self) -> PathBuf {
        std::mem::take(&mut self.path)
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // What cannot be removed stays behind, and only the user can look into it.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn folders_are_private_and_removed() {
        let folder = PrivateFolder::new().unwrap();
        let path = folder.path().to_owned();
        assert_eq!(mode(&path), 0o700);
        assert_ne!(PrivateFolder::new().unwrap().path(), path);
        std::fs::write(path.join("file"), "x").unwrap();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn kept_folders_stay() {
        let parent = PrivateFolder::new().unwrap();
        let kept = PrivateFolder::within(parent.path()).unwrap().keep();
        assert!(kept.is_dir() && kept.starts_with(parent.path()));
    }

    #[test]
    fn traces_are_private() {
        let folder = PrivateFolder::new().unwrap();
        let path = folder.path().join("t.aftr");
        drop(create(&path, false).unwrap());
        assert_eq!(mode(&path), 0o600);
        // One that was open to others before is not afterwards.
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        drop(create(&path, true).unwrap());
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn a_trace_has_one_writer() {
        let folder = PrivateFolder::new().unwrap();
        let path = folder.path().join("t.aftr");
        let mut first = create(&path, true).unwrap();
        io::Write::write_all(&mut first, b"calls").unwrap();
        let error = create(&path, true).unwrap_err();
        assert!(error.to_string().starts_with("another recorder is writing to it"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"calls", "the second writer emptied the file of the first");
        drop(first);
        drop(create(&path, true).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn new_traces_do_not_follow_links() {
        let folder = PrivateFolder::new().unwrap();
        let (victim, link) = (folder.path().join("victim"), folder.path().join("t.aftr"));
        symlink(&victim, &link).unwrap();
        assert_eq!(create(&link, false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert!(!victim.exists());
    }
}
