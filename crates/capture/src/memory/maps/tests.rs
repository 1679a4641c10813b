use api::{CommandId, constant as c, id};

use super::{Maps, Request, Sink};

/// The recorded ranges: whether the program wrote them, the offset, and the bytes.
#[derive(Default)]
struct RecordedRanges(Vec<(bool, usize, Vec<u8>)>);

impl Sink for RecordedRanges {
    fn note(&mut self, command: CommandId, _address: usize, offset: usize, bytes: &[u8]) {
        self.0.push((command == id::afiMemory, offset, bytes.to_vec()));
    }
}

impl RecordedRanges {
    fn take(&mut self) -> Vec<(bool, usize, Vec<u8>)> {
        std::mem::take(&mut self.0)
    }
}

const BUFFER: u32 = 7;

/// A driver's buffer, and a program's map of all of it.
struct Scene {
    driver: Vec<u8>,
    maps: Maps,
    address: usize,
    notes: RecordedRanges,
}

impl Scene {
    fn new(size: usize, access: u32) -> Scene {
        Scene::with(Maps::default(), size, access)
    }

    /// Creates a scene with a buffer whose contents are undefined.
    fn undefined(size: usize, access: u32) -> Scene {
        let mut maps = Maps::default();
        maps.replace(BUFFER, false);
        Scene::with(maps, size, access)
    }

    fn with(mut maps: Maps, size: usize, access: u32) -> Scene {
        let driver: Vec<u8> = (0..size).map(|at| at as u8).collect();
        let request = Request { buffer: BUFFER, offset: 0, size, access, whole: true };
        // SAFETY: the buffer has as many bytes, and stays in place as long as the scene does.
        let address = unsafe { maps.begin(request, driver.as_ptr() as usize, |_| false) };
        Scene { driver, maps, address, notes: RecordedRanges::default() }
    }

    fn write(&self, offset: usize, bytes: &[u8]) {
        // SAFETY: tests write within the map.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), (self.address + offset) as *mut u8, bytes.len()) };
    }

    fn read(&self, offset: usize) -> u8 {
        // SAFETY: tests read within the map.
        unsafe { ((self.address + offset) as *const u8).read_volatile() }
    }

    /// Returns a byte of the driver; read as volatile memory.
    fn driver(&self, offset: usize) -> u8 {
        // SAFETY: tests read within the buffer.
        unsafe { self.driver.as_ptr().wrapping_add(offset).read_volatile() }
    }

    fn driver_writes(&mut self, offset: usize, byte: u8) {
        self.driver[offset] = byte;
    }
}

#[test]
fn a_plain_map_records_changes() {
    let mut scene = Scene::new(1000, c::GL_MAP_WRITE_BIT);
    scene.write(10, &[200, 201]);
    scene.write(900, &[7]);
    scene.maps.end(&mut scene.notes, BUFFER);
    assert_eq!(scene.notes.take(), [(true, 10, vec![200, 201]), (true, 900, vec![7])]);
    scene.maps.end(&mut scene.notes, BUFFER);
    assert_eq!(scene.notes.take(), []);
}

#[test]
fn an_invalidating_map_records_everything() {
    let mut scene = Scene::new(100, c::GL_MAP_WRITE_BIT | c::GL_MAP_INVALIDATE_RANGE_BIT);
    scene.write(0, &[9]);
    let expected: Vec<u8> = [9].into_iter().chain(1..100).collect();
    scene.maps.end(&mut scene.notes, BUFFER);
    assert_eq!(scene.notes.take(), [(true, 0, expected)]);
}

#[test]
fn a_map_for_reading_is_recorded_when_it_is_made() {
    let mut scene = Scene::new(4, c::GL_MAP_READ_BIT);
    scene.maps.record_begin(&mut scene.notes, BUFFER);
    assert_eq!(scene.notes.take(), [(false, 0, vec![0, 1, 2, 3])]);
    scene.maps.end(&mut scene.notes, BUFFER);
    assert_eq!(scene.notes.take(), []);
}

#[test]
fn explicit_flushes_are_recorded() {
    let mut scene = Scene::new(100, c::GL_MAP_WRITE_BIT | c::GL_MAP_FLUSH_EXPLICIT_BIT);
    scene.write(50, &[1, 1, 1]);
    scene.maps.flush(&mut scene.notes, BUFFER, 50, 2);
    scene.maps.flush(&mut scene.notes, BUFFER, 99, 2);
    assert_eq!(scene.notes.take(), [(true, 50, vec![1, 1])]);
    scene.maps.end(&mut scene.notes, BUFFER);
    assert_eq!(scene.notes.take(), []);
}

#[test]
fn a_persistent_map_reaches_the_driver_when_gl_may_read_it() {
    let mut scene = Scene::new(100_000, c::GL_MAP_WRITE_BIT | c::GL_MAP_PERSISTENT_BIT);
    assert_ne!(scene.address, scene.driver.as_ptr() as usize);
    assert_eq!(scene.read(77), 77);
    scene.write(5000, &[1, 2, 3]);
    assert_eq!(scene.driver(5000), 5000_usize as u8);
    scene.maps.publish(&mut scene.notes);
    assert_eq!(scene.notes.take(), [(true, 5000, vec![1, 2, 3])]);
    assert_eq!([scene.driver(5000), scene.driver(5002), scene.driver(5003)], [1, 3, 5003_usize as u8]);
    scene.maps.publish(&mut scene.notes);
    assert_eq!(scene.notes.take(), []);
    scene.write(99_999, &[8]);
    assert_eq!(scene.maps.translate(scene.driver.as_ptr() as usize), Some(scene.address));
    scene.maps.end(&mut scene.notes, BUFFER);
    assert_eq!(scene.notes.take(), [(true, 99_999, vec![8])]);
    assert_eq!(scene.driver(99_999), 8);
}

#[test]
fn writes_of_gl_to_a_persistent_map_reach_the_program() {
    let access = c::GL_MAP_WRITE_BIT | c::GL_MAP_READ_BIT | c::GL_MAP_PERSISTENT_BIT;
    let mut scene = Scene::new(20_000, access);
    scene.driver_writes(100, 255);
    scene.write(101, &[254]);
    scene.maps.receive(&mut scene.notes);
    assert_eq!(scene.notes.take(), [(true, 101, vec![254]), (false, 100, vec![255])]);
    assert_eq!([scene.read(100), scene.read(101), scene.driver(100), scene.driver(101)], [255, 254, 255, 254]);
    scene.maps.receive(&mut scene.notes);
    assert_eq!(scene.notes.take(), []);
}

#[test]
fn maps_in_the_middle_of_a_buffer_keep_its_alignment() {
    let driver = vec![3_u8; 10_000];
    let mut maps = Maps::default();
    let access = c::GL_MAP_WRITE_BIT | c::GL_MAP_PERSISTENT_BIT;
    let request = Request { buffer: BUFFER, offset: 4100, size: 5000, access, whole: false };
    // SAFETY: the buffer has as many bytes from there on.
    let address = unsafe { maps.begin(request, driver.as_ptr() as usize + 4100, |_| false) };
    assert_eq!(address % 64, 4100 % 64);
    // SAFETY: the byte is within the map.
    unsafe { (address as *mut u8).wrapping_add(4999).write_volatile(4) };
    let mut notes = RecordedRanges::default();
    maps.publish(&mut notes);
    assert_eq!(notes.take(), [(true, 4999, vec![4])]);
}

#[test]
fn new_storage_ends_a_map_silently() {
    let mut scene = Scene::new(100, c::GL_MAP_WRITE_BIT);
    scene.write(0, &[99]);
    scene.maps.forget(BUFFER);
    scene.maps.end(&mut scene.notes, BUFFER);
    assert_eq!(scene.notes.take(), []);
}

#[test]
fn undefined_contents_are_recorded_in_full() {
    let mut scene = Scene::undefined(4, c::GL_MAP_WRITE_BIT);
    scene.write(0, &[0, 1]);
    scene.maps.end(&mut scene.notes, BUFFER);
    assert_eq!(scene.notes.take(), [(true, 0, vec![0, 1, 2, 3])]);

    let mut scene = Scene::undefined(4, c::GL_MAP_WRITE_BIT | c::GL_MAP_PERSISTENT_BIT);
    scene.maps.record_begin(&mut scene.notes, BUFFER);
    assert_eq!(scene.notes.take(), [(true, 0, vec![0, 0, 0, 0])]);
    assert_eq!([scene.driver(3), scene.read(3)], [0, 0]);
    scene.write(1, &[9]);
    scene.maps.publish(&mut scene.notes);
    assert_eq!(scene.notes.take(), [(true, 1, vec![9])]);
}

#[test]
fn rewritten_buffers_are_recorded_in_full_for_a_while() {
    let mut scene = Scene::new(1000, c::GL_MAP_WRITE_BIT);
    let mut comparisons = 0;
    for round in 0..100_u8 {
        // All but one byte changes. Only a comparison detects the one that does not.
        let bytes: Vec<u8> = (1..1000).map(|at| at as u8 ^ round ^ 0x80).collect();
        scene.write(1, &bytes);
        scene.maps.end(&mut scene.notes, BUFFER);
        let notes = scene.notes.take();
        assert_eq!(notes.len(), 1);
        comparisons += usize::from(notes[0].1 == 1);
        let request = Request { buffer: BUFFER, offset: 0, size: 1000, access: c::GL_MAP_WRITE_BIT, whole: true };
        // SAFETY: the buffer has as many bytes, and stays in place as long as the scene does.
        unsafe { scene.maps.begin(request, scene.address, |_| false) };
    }
    assert_eq!(comparisons, 4);
}
