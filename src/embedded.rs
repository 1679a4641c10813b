//! Files that release builds of this program contain, unpacked for the programs that need them as files.
//!
//! What is unpacked gets loaded into other programs, so no other user may be able to put something in its place: the folder and
//! all folders above it belong to this user or to root, others cannot write to them, and the bytes are compared before
//! each use. Confined workers cannot write there either. Where there is no such folder, a temporary one takes its place.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use host::PrivateFolder;
use nix::libc::O_NOFOLLOW;
use nix::sys::statvfs::{FsFlags, statvfs};

/// A contained file; without bytes in builds that do not contain it.
#[derive(Debug)]
pub struct Embedded {
    bytes: &'static [u8],
    /// Of the unpacked file. It includes a hash of the bytes, so that several versions of this program can be used at once.
    name: &'static str,
}

/// The library that is preloaded into recorded programs.
pub const CAPTURE: Embedded = Embedded {
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/capture")),
    name: concat!("libafterimage_capture-", env!("HASH_OF_CAPTURE"), ".so"),
};

/// The program that `afterimage demo` records.
pub const SCENE: Embedded = Embedded {
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/scene")),
    name: concat!("deferred-", env!("HASH_OF_SCENE")),
};

/// A file on the disk, as long as this lives.
#[derive(Debug)]
pub struct Unpacked {
    /// The file.
    pub path: PathBuf,
    /// If it is temporary.
    _folder: Option<PrivateFolder>,
}

impl Unpacked {
    /// A file that was there already.
    pub fn found(path: PathBuf) -> Unpacked {
        Unpacked { path, _folder: None }
    }
}

impl Embedded {
    /// Unpacks the file, or uses what an earlier run unpacked. `None` if this build does not contain it.
    ///
    /// # Errors
    /// When there is no place for it.
    pub fn unpack(&self) -> anyhow::Result<Option<Unpacked>> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        if let Some(caches) = trace::caches()
            && let Ok(path) = self.unpack_below(&caches)
        {
            return Ok(Some(Unpacked::found(path)));
        }
        let folder = PrivateFolder::new().context("a temporary folder cannot be made")?;
        if !is_usable(folder.path())? {
            bail!(
                "programs and libraries cannot be used from {}, which is mounted noexec or has a space or a colon in its name; \
                 name another folder with TMPDIR",
                folder.path().display()
            );
        }
        let path = folder.path().join(self.name);
        self.write(&path).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Some(Unpacked { path, _folder: Some(folder) }))
    }

    /// Unpacks the file below a folder for caches.
    fn unpack_below(&self, caches: &Path) -> io::Result<PathBuf> {
        let folder = caches.join("afterimage").join("unpacked");
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        // Links in the path are resolved now; those who own the folders that remain can be trusted.
        let folder = folder.canonicalize()?;
        let own = fs::metadata("/proc/self")?.uid();
        let found = fs::symlink_metadata(&folder)?;
        let is_private = found.uid() == own && found.mode() & 0o077 == 0;
        if !is_private || !is_safe(&folder, own)? || !is_usable(&folder)? {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let path = folder.join(self.name);
        if self.is_at(&path, own).unwrap_or(false) {
            return Ok(path);
        }
        // Others of this user's processes may do the same: each writes a file of its own, and the last one stays.
        let part = PrivateFolder::within(&folder)?;
        let whole = part.path().join(self.name);
        self.write(&whole)?;
        fs::rename(&whole, &path)?;
        Ok(path)
    }

    /// Whether a file has exactly these bytes, and only the user can change it.
    fn is_at(&self, path: &Path, own: u32) -> io::Result<bool> {
        let mut file = File::options().read(true).custom_flags(O_NOFOLLOW).open(path)?;
        let found = file.metadata()?;
        if !found.is_file() || found.uid() != own || found.mode() & 0o022 != 0 || found.len() != self.bytes.len() as u64
        {
            return Ok(false);
        }
        let mut bytes = Vec::with_capacity(self.bytes.len() + 1);
        Read::by_ref(&mut file).take(self.bytes.len() as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes == self.bytes)
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o500).custom_flags(O_NOFOLLOW).open(path)?;
        file.write_all(self.bytes)
    }
}

/// Whether only this user and root can rename a folder or one above it.
fn is_safe(folder: &Path, own: u32) -> io::Result<bool> {
    for folder in folder.ancestors() {
        let found = fs::symlink_metadata(folder)?;
        let is_ours = found.uid() == own || found.uid() == 0;
        // In a folder with the sticky bit, others cannot rename what is not theirs.
        if !found.is_dir() || !is_ours || found.mode() & 0o022 != 0 && found.mode() & 0o1000 == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether files in a folder can be run and preloaded.
fn is_usable(folder: &Path) -> io::Result<bool> {
    let runs = !statvfs(folder)?.flags().contains(FsFlags::ST_NOEXEC);
    // LD_PRELOAD is a list with these between its names.
    Ok(runs && !folder.as_os_str().as_bytes().iter().any(|byte| b": ".contains(byte)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    const FILE: Embedded = Embedded { bytes: b"contents", name: "file-0123" };

    /// Unpacks below a folder that `prepare` changed after the file was unpacked there once.
    #[track_caller]
    fn unpacked_after(prepare: impl FnOnce(&Path)) -> io::Result<(Vec<u8>, u32)> {
        let scratch = PrivateFolder::new().unwrap();
        let path = FILE.unpack_below(scratch.path()).unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().mode() & 0o777),
            (b"contents".to_vec(), 0o500)
        );
        prepare(&path);
        let again = FILE.unpack_below(scratch.path())?;
        assert_eq!(again, path);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing temporary is left");
        Ok((fs::read(&again)?, fs::symlink_metadata(&again)?.mode()))
    }

    #[test]
    fn a_file_is_unpacked_once() {
        let scratch = PrivateFolder::new().unwrap();
        let first = fs::metadata(FILE.unpack_below(scratch.path()).unwrap()).unwrap();
        let second = fs::metadata(FILE.unpack_below(scratch.path()).unwrap()).unwrap();
        assert_eq!(first.ino(), second.ino());
    }

    #[test]
    fn other_contents_and_links_are_replaced() {
        let changed = |bytes: &'static [u8]| {
            move |path: &Path| {
                fs::set_permissions(path, PermissionsExt::from_mode(0o700)).unwrap();
                fs::write(path, bytes).unwrap();
            }
        };
        for prepare in [changed(b"c0ntents"), changed(b"contents and more"), changed(b"")] {
            let (bytes, mode) = unpacked_after(prepare).unwrap();
            assert_eq!((&bytes[..], mode & 0o170_777), (&b"contents"[..], 0o100_500));
        }
        let (bytes, mode) = unpacked_after(|path| {
            fs::remove_file(path).unwrap();
            let elsewhere = path.parent().unwrap().parent().unwrap().join("elsewhere");
            fs::write(&elsewhere, b"contents").unwrap();
            symlink(elsewhere, path).unwrap();
        })
        .unwrap();
        assert_eq!((&bytes[..], mode & 0o170_777), (&b"contents"[..], 0o100_500));
    }

    #[test]
    fn a_file_that_others_can_write_to_is_replaced() {
        let open = |path: &Path| fs::set_permissions(path, PermissionsExt::from_mode(0o777)).unwrap();
        assert_eq!(unpacked_after(open).unwrap().1 & 0o777, 0o500);
    }

    #[test]
    fn folders_that_others_can_write_to_are_not_used() {
        for (above, mode) in [(1, 0o770), (2, 0o777), (3, 0o777)] {
            let refused = unpacked_after(|path| {
                let folder = path.ancestors().nth(above).unwrap();
                fs::set_permissions(folder, PermissionsExt::from_mode(mode)).unwrap();
            });
            assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::PermissionDenied, "{above}");
        }
        // The sticky bit of /tmp.
        let sticky = unpacked_after(|path| {
            fs::set_permissions(path.ancestors().nth(3).unwrap(), PermissionsExt::from_mode(0o1777)).unwrap();
        });
        assert!(sticky.is_ok());
    }

    #[test]
    fn names_that_cannot_be_preloaded_are_not_used() {
        let scratch = PrivateFolder::new().unwrap();
        let folder = scratch.path().join("a b");
        DirBuilder::new().mode(0o700).create(&folder).unwrap();
        assert!(FILE.unpack_below(&folder).is_err());
    }
}
