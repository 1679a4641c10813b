//! Finds symbols of loaded objects by walking their ELF tables.
//!
//! This library defines `dlsym` itself, so calling `dlsym` for the real one would find our own. The tables give the
//! real one.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::slice;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Release};

/// A loaded object: a library or the program.
pub struct Object<'a> {
    /// Its path, empty for the program itself.
    pub path: &'a CStr,
    /// The number of objects loaded and unloaded so far.
    pub generation: u64,
    base: usize,
    segments: &'a [libc::Elf64_Phdr],
}

impl Object<'_> {
    /// Returns the file name without its folder.
    pub fn file_name(&self) -> &str {
        let path = self.path.to_str().unwrap_or_default();
        path.rsplit('/').next().unwrap_or(path)
    }

    /// Returns the address range that it occupies.
    pub fn range(&self) -> (usize, usize) {
        let mut range = (usize::MAX, 0);
        for segment in self.segments.iter().filter(|segment| segment.p_type == libc::PT_LOAD) {
            let start = self.base.wrapping_add(segment.p_vaddr as usize);
            range = (range.0.min(start), range.1.max(start.wrapping_add(segment.p_memsz as usize)));
        }
        range
    }

    /// Returns the address of a function that it defines.
    pub fn function(&self, name: &CStr) -> Option<*const c_void> {
        let dynamic = self.segments.iter().find(|segment| segment.p_type == libc::PT_DYNAMIC)?;
        let tables = Tables::read(self.base, self.base.wrapping_add(dynamic.p_vaddr as usize))?;
        tables.find(name)
    }
}

/// Visits all loaded objects until `visit` returns a value.
pub fn each_object<R>(visit: impl FnMut(&Object<'_>) -> Option<R>) -> Option<R> {
    struct State<R, F> {
        visit: F,
        found: Option<R>,
    }

    extern "C" fn object<R, F: FnMut(&Object<'_>) -> Option<R>>(
        info: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        state: *mut c_void,
    ) -> c_int {
        // SAFETY: `dl_iterate_phdr` passes a valid description of an object.
        let info = unsafe { &*info };
        // SAFETY: the state is that of `call` below, which is still running.
        let state = unsafe { &mut *state.cast::<State<R, F>>() };
        let path = if info.dlpi_name.is_null() {
            c""
        } else {
            // SAFETY: names of objects are NUL-terminated strings.
            unsafe { CStr::from_ptr(info.dlpi_name) }
        };
        let segments = if info.dlpi_phdr.is_null() {
            &[]
        } else {
            // SAFETY: the loader gives the number of headers.
            unsafe { slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) }
        };
        let generation = info.dlpi_adds.wrapping_add(info.dlpi_subs);
        state.found = (state.visit)(&Object { path, generation, base: info.dlpi_addr as usize, segments });
        c_int::from(state.found.is_some())
    }

    fn call<R, F: FnMut(&Object<'_>) -> Option<R>>(visit: F) -> Option<R> {
        let mut state = State { visit, found: None };
        // SAFETY: the callback expects this state and is not called after the function has returned.
        unsafe { libc::dl_iterate_phdr(Some(object::<R, F>), (&raw mut state).cast()) };
        state.found
    }
    call(visit)
}

/// Returns the path of this library.
pub fn own_path() -> Option<CString> {
    each_object(|object| is_own_code(object.range().0).then(|| object.path.to_owned()))
}

/// Returns whether an address lies in the code of this library.
pub fn is_own_code(address: usize) -> bool {
    static START: AtomicUsize = AtomicUsize::new(0);
    static END: AtomicUsize = AtomicUsize::new(0);
    let mut range = (START.load(Acquire), END.load(Acquire));
    if range.1 == 0 {
        let here = is_own_code as *const () as usize;
        range = each_object(|object| {
            let (start, end) = object.range();
            (start..end).contains(&here).then_some((start, end))
        })
        .unwrap_or((0, 0));
        START.store(range.0, Release);
        END.store(range.1, Release);
    }
    (range.0..range.1).contains(&address)
}

/// The tables of an object's dynamic section that a lookup needs.
struct Tables {
    base: usize,
    symbols: *const libc::Elf64_Sym,
    names: *const c_char,
    hash: *const u32,
    versions: *const u16,
}

const DT_NULL: i64 = 0;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_GNU_HASH: i64 = 0x6fff_fef5;
const DT_VERSYM: i64 = 0x6fff_fff0;

impl Tables {
    fn read(base: usize, dynamic: usize) -> Option<Tables> {
        let mut tables = Tables {
            base,
            symbols: std::ptr::null(),
            names: std::ptr::null(),
            hash: std::ptr::null(),
            versions: std::ptr::null(),
        };
        let mut entry = dynamic as *const [i64; 2];
        loop {
            // SAFETY: the dynamic section is a list of pairs of words that ends with `DT_NULL`.
            let [tag, value] = unsafe { entry.read() };
            // glibc adds the base to these addresses when it loads the object; musl and the kernel do not.
            let value = value as usize;
            let address = if value < base { base.wrapping_add(value) } else { value };
            match tag {
                DT_NULL => break,
                DT_STRTAB => tables.names = address as *const c_char,
                DT_SYMTAB => tables.symbols = address as *const libc::Elf64_Sym,
                DT_GNU_HASH => tables.hash = address as *const u32,
                DT_VERSYM => tables.versions = address as *const u16,
                _ => {}
            }
            entry = entry.wrapping_add(1);
        }
        (!tables.symbols.is_null() && !tables.names.is_null() && !tables.hash.is_null()).then_some(tables)
    }

    /// Returns the default version of a function.
    fn find(&self, name: &CStr) -> Option<*const c_void> {
        let wanted = gnu_hash(name.to_bytes());
        let [buckets, first, words] = [self.hash_word(0), self.hash_word(1), self.hash_word(2)];
        if buckets == 0 {
            return None;
        }
        // After four words of header come the filter, of 64-bit words, then the buckets, then the chains.
        let bucket_table = 4 + 2 * words as usize;
        let chains = bucket_table + buckets as usize;
        let mut index = self.hash_word(bucket_table + (wanted % buckets) as usize);
        let mut other_version = None;
        while index >= first {
            let hash = self.hash_word(chains + (index - first) as usize);
            if hash | 1 == wanted | 1 {
                match self.symbol(index as usize, name) {
                    Some((address, true)) => return Some(address),
                    Some((address, false)) => other_version = Some(address),
                    None => {}
                }
            }
            if hash & 1 != 0 {
                break;
            }
            index += 1;
        }
        other_version
    }

    /// Returns the address of a symbol, if it is a defined function of this name, and whether it is the default
    /// version.
    fn symbol(&self, index: usize, name: &CStr) -> Option<(*const c_void, bool)> {
        // SAFETY: the index comes from the object's hash table, so the symbol exists.
        let symbol = unsafe { self.symbols.wrapping_add(index).read() };
        // SAFETY: names of symbols are offsets into the string table, whose strings are NUL-terminated.
        let its_name = unsafe { CStr::from_ptr(self.names.wrapping_add(symbol.st_name as usize)) };
        const STT_FUNC: u8 = 2;
        if its_name != name || symbol.st_shndx == 0 || symbol.st_info & 15 != STT_FUNC {
            return None;
        }
        const HIDDEN: u16 = 0x8000;
        let default = self.versions.is_null() || {
            // SAFETY: there is a version for each symbol.
            let version = unsafe { self.versions.wrapping_add(index).read() };
            version & HIDDEN == 0
        };
        Some((self.base.wrapping_add(symbol.st_value as usize) as *const c_void, default))
    }

    fn hash_word(&self, index: usize) -> u32 {
        // SAFETY: indices follow the table's own layout, whose sizes are in its first words.
        unsafe { self.hash.wrapping_add(index).read() }
    }
}

fn gnu_hash(name: &[u8]) -> u32 {
    name.iter().fold(5381, |hash: u32, &byte| hash.wrapping_mul(33).wrapping_add(u32::from(byte)))
}
