//! The files that a driver needs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::landlock::{Access, Rule};

/// Libraries, their configuration, and what tells a driver about the machine. All of it is public on any machine; other
/// users' and processes' parts of `/proc` and `/etc` are not in it.
const READABLE: &[&str] = &[
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/opengl-driver",
    "/run/opengl-driver-32",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/drirc",
    "/etc/egl",
    "/etc/glvnd",
    "/etc/vulkan",
    "/etc/nvidia",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/dev/random",
    "/dev/urandom",
    "/sys",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/devices",
    "/proc/modules",
    "/proc/filesystems",
    "/proc/driver",
    "/proc/sys",
];

/// Configuration of drivers in the user's home.
const READABLE_AT_HOME: &[&str] =
    &[".drirc", ".nv/nvidia-application-profiles-rc", ".nv/nvidia-application-profiles-rc.d"];

/// Variables by which a user says where a driver's files are: lists of files and folders.
const VARIABLES: &[&str] = &[
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LIBGL_DRIVERS_PATH",
    "GBM_BACKENDS_PATH",
    "DRIRC_CONFIGDIR",
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "__EGL_VENDOR_LIBRARY_DIRS",
    "__EGL_VENDOR_LIBRARY_FILENAMES",
    "__EGL_EXTERNAL_PLATFORM_CONFIG_DIRS",
    "__EGL_EXTERNAL_PLATFORM_CONFIG_FILENAMES",
];

/// Devices that drivers use, and those that every library may.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/dri", "/dev/dma_heap", "/dev/udmabuf", "/dev/dxg"];

/// How the names of other GPUs' devices begin.
const DEVICE_NAMES: &[&str] = &["nvidia", "mali", "pvr"];

/// Returns what a confined worker may open. `cache` is its own folder.
pub fn rules(cache: Option<&Path>) -> Vec<Rule> {
    let readable = READABLE.iter().map(PathBuf::from);
    let home = std::env::home_dir().filter(|home| home.is_absolute());
    let at_home = home.iter().flat_map(|home| READABLE_AT_HOME.iter().map(|name| home.join(name)));
    // The program's own file, where a backtrace finds the names of functions.
    let own = std::env::current_exe().ok();
    let named = VARIABLES.iter().filter_map(std::env::var_os).flat_map(|list| absolute_paths(&list));
    let readable = readable.chain(at_home).chain(own).chain(named).map(|path| (path, Access::Read));
    let devices = DEVICES.iter().map(PathBuf::from).chain(gpus()).map(|path| (path, Access::Device));
    let cache = cache.map(|path| (path.to_owned(), Access::Own));
    readable.chain(devices).chain(cache).collect()
}

/// Splits a list of paths. Relative ones are left out, because an empty entry would stand for the current folder, and so
/// is the root.
fn absolute_paths(list: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(list).filter(|path| path.is_absolute() && path.parent().is_some()).collect()
}

fn gpus() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let is_gpu = |name: &OsStr| name.to_str().is_some_and(|name| DEVICE_NAMES.iter().any(|gpu| name.starts_with(gpu)));
    entries.filter(|entry| is_gpu(&entry.file_name())).map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cache_is_the_workers_own() {
        let rules = rules(Some(Path::new("/home/somewhere/cache")));
        let own: Vec<_> = rules.iter().filter(|(_, access)| *access == Access::Own).collect();
        assert_eq!(own, [&(PathBuf::from("/home/somewhere/cache"), Access::Own)]);
        for outside in ["/", "/etc", "/home", "/proc", "/tmp", "/dev", "/dev/shm", "/root", "/var", "/run"] {
            assert!(rules.iter().all(|(path, _)| path != Path::new(outside)), "{outside}");
        }
    }

    #[test]
    fn lists_of_paths_do_not_give_away_the_current_folder() {
        assert_eq!(absolute_paths(OsStr::new(":.:/:/a/b:c")), [PathBuf::from("/a/b")]);
    }
}
