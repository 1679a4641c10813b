//! The folder that confined workers keep compiled shaders in.
//!
//! A worker that a trace took over can put anything into it, so nothing but confined workers uses it: a driver loads
//! machine code from its cache.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// How large the drivers keep their caches, in bytes.
const BOUND: u64 = 256 << 20;

/// Returns the folder, private to this user. It is made for the first worker of this process, and emptied then if it holds
/// more than the drivers would put there. `None` if there is no place for it.
pub fn folder() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            // Replay works without a cache, only slower.
            prepare(&trace::caches()?).ok()
        })
        .as_deref()
}

/// Makes the folder below a folder for caches.
fn prepare(caches: &Path) -> io::Result<PathBuf> {
    let folder = caches.join("afterimage").join("workers");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    check(&std::fs::symlink_metadata(&folder)?)?;
    if size(&folder)? > 2 * BOUND {
        std::fs::remove_dir_all(&folder)?;
    }
    for part in ["mesa", "nvidia", "temporary"] {
        DirBuilder::new().recursive(true).mode(0o700).create(folder.join(part))?;
    }
    // Landlock and drivers name it by its real path.
    folder.canonicalize()
}

/// Refuses a folder that others can write to, and one of another user.
fn check(found: &Metadata) -> io::Result<()> {
    let own = std::fs::metadata("/proc/self")?.uid();
    let is_private = found.is_dir() && found.uid() == own && found.mode() & 0o077 == 0;
    if is_private { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// Returns the bytes of all files below a folder. Links are not followed.
fn size(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            // Other workers remove files meanwhile.
            let Ok(found) = entry.as_ref().map_err(|_| ()).and_then(|entry| entry.metadata().map_err(|_| ())) else {
                continue;
            };
            match found.is_dir() {
                true => folders.extend(entry.map(|entry| entry.path())),
                false => bytes += found.len(),
            }
        }
    }
    Ok(bytes)
}

/// Tells the drivers of a worker where their caches are, and how large they may be.
pub fn tell(command: &mut Command, folder: Option<&Path>) {
    let Some(folder) = folder else {
        command.env("MESA_SHADER_CACHE_DISABLE", "true").env("__GL_SHADER_DISK_CACHE", "0");
        return;
    };
    let megabytes = format!("{}M", BOUND >> 20);
    command.env("MESA_SHADER_CACHE_DIR", folder.join("mesa")).env("MESA_SHADER_CACHE_MAX_SIZE", &megabytes);
    // The names of Mesa before 22.1.
    command.env("MESA_GLSL_CACHE_DIR", folder.join("mesa")).env("MESA_GLSL_CACHE_MAX_SIZE", &megabytes);
    command.env("__GL_SHADER_DISK_CACHE_PATH", folder.join("nvidia"));
    command.env("__GL_SHADER_DISK_CACHE_SIZE", BOUND.to_string());
    command.env("TMPDIR", folder.join("temporary"));
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A new folder, removed in the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let folder = std::env::temp_dir().join(format!("afterimage-{name}-{}", std::process::id()));
            DirBuilder::new().mode(0o700).create(&folder).unwrap();
            Scratch(folder)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_folder_is_private_and_bounded() {
        let scratch = Scratch::new("cache");
        let folder = prepare(&scratch.0).unwrap();
        assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        let (small, large) = (folder.join("mesa/small"), folder.join("nvidia/large"));
        std::fs::write(&small, [0; 100]).unwrap();
        prepare(&scratch.0).unwrap();
        assert!(small.exists(), "what is small is kept");
        std::fs::File::create(&large).unwrap().set_len(2 * BOUND + 1).unwrap();
        prepare(&scratch.0).unwrap();
        assert!(!small.exists() && !large.exists());
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_used() {
        let scratch = Scratch::new("shared-cache");
        let folder = prepare(&scratch.0).unwrap();
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o770)).unwrap();
        assert!(prepare(&scratch.0).is_err());
        let elsewhere = scratch.0.join("elsewhere");
        std::fs::rename(&folder, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &folder).unwrap();
        assert!(prepare(&scratch.0).is_err(), "a link");
    }
}
