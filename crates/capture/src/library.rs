//! Finds the loaded GL libraries, and which of them belong together.

use std::ffi::CString;
use std::path::Path;
use std::ptr;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

use crate::elf;

/// A loaded GL library.
#[derive(Clone, PartialEq)]
pub struct Library {
    /// Its path.
    pub path: CString,
    /// Whether programs link or load it, rather than other GL libraries only: `libGL`, not `libGLX_mesa`.
    pub interface: bool,
    range: (usize, usize),
}

impl Library {
    fn contains(&self, address: usize) -> bool {
        (self.range.0..self.range.1).contains(&address)
    }

    /// Returns its folder. Libraries of one implementation are in the same folder.
    pub fn folder(&self) -> Option<&Path> {
        Path::new(self.path.to_str().ok()?).parent()
    }
}

/// The GL libraries loaded after the loader had made `generation` changes.
struct Loaded {
    generation: u64,
    libraries: Vec<Library>,
}

static LOADED: AtomicPtr<Loaded> = AtomicPtr::new(ptr::null_mut());

/// Returns the GL libraries that are currently loaded.
pub fn loaded() -> &'static [Library] {
    let generation = elf::each_object(|object| Some(object.generation)).unwrap_or(0);
    let known = LOADED.load(Acquire);
    // SAFETY: null, or a list that was leaked below.
    if let Some(known) = unsafe { known.as_ref() }
        && known.generation == generation
    {
        return &known.libraries;
    }
    let mut libraries = Vec::new();
    elf::each_object(|object| {
        let name = object.file_name();
        if is_interface(name) || is_internal(name) {
            let path = object.path.to_owned();
            libraries.push(Library { path, interface: is_interface(name), range: object.range() });
        }
        None::<()>
    });
    // Lists are never freed, because another thread may be reading one: there is one per observed change to the set of
    // loaded objects, each with a few libraries.
    let new = Box::into_raw(Box::new(Loaded { generation, libraries }));
    let now = match LOADED.compare_exchange(known, new, AcqRel, Acquire) {
        Ok(_) => new,
        Err(theirs) => theirs,
    };
    // SAFETY: both are leaked lists.
    unsafe { &(*now).libraries }
}

/// Returns the GL library that contains an address.
pub fn containing(address: usize) -> Option<&'static Library> {
    loaded().iter().find(|library| library.contains(address))
}

/// Returns whether a library that only other GL libraries load lies in a folder: what lies beside a driver is the system's.
pub fn has_driver(folder: &Path) -> bool {
    loaded().iter().any(|library| !library.interface && library.folder() == Some(folder))
}

/// Like [`containing`], but with the last list that was built: for use inside signal handlers.
pub fn known_to_contain(address: usize) -> bool {
    // SAFETY: null, or a list that was leaked in `loaded`.
    let known = unsafe { LOADED.load(Acquire).as_ref() };
    known.is_some_and(|known| known.libraries.iter().any(|library| library.contains(address)))
}

/// Returns whether a file name is that of a library with functions that programs call.
fn is_interface(file_name: &str) -> bool {
    matches!(stem(file_name), "libGL" | "libGLX" | "libEGL" | "libOpenGL" | "libGLESv1_CM" | "libGLESv2")
}

/// Returns whether a file name is that of a library that only other GL libraries load.
fn is_internal(file_name: &str) -> bool {
    let stem = stem(file_name);
    matches!(stem, "libGLdispatch" | "libglapi")
        || ["libGLX_", "libEGL_", "libGLESv1_CM_", "libGLESv2_", "libnvidia-", "libgallium"]
            .iter()
            .any(|prefix| stem.starts_with(prefix))
        || stem.ends_with("_dri")
}

/// Returns the name before `.so`.
fn stem(file_name: &str) -> &str {
    file_name.split_once(".so").map_or(file_name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::{is_interface, is_internal};

    #[test]
    fn libraries_are_recognised_by_name() {
        for name in
            ["libGL.so.1", "libGLX.so.0.0.0", "libEGL.so", "libOpenGL.so.0", "libGLESv2.so.2", "libGLESv1_CM.so.1"]
        {
            assert!(is_interface(name), "{name}");
        }
        for name in
            ["libGLX_mesa.so.0", "libEGL_nvidia.so.0", "libGLdispatch.so.0", "libgallium-25.so", "swrast_dri.so"]
        {
            assert!(is_internal(name) && !is_interface(name), "{name}");
        }
        for name in
            ["libGLU.so.1", "libGLEW.so.2.2", "libglut.so.3", "libepoxy.so.0", "libSDL2-2.0.so.0", "libc.so.6", ""]
        {
            assert!(!is_interface(name) && !is_internal(name), "{name}");
        }
    }
}
