//! Calls with slices: what GL accesses beyond them is memory of the driver's own.

use api::call::{ArrayPointer, CallMemory, KeptMemory, MapHandle, PointerArgument, Refusal};
use api::request::{Client, ContextRequest, SurfaceRequest};
use api::{CommandId, constant as c, id};
use driver::{DeviceChoice, Screen};

/// A screen with a compatibility context and a surface of 8 by 8 pixels that are current.
fn screen() -> Screen {
    let mut screen = Screen::open(&DeviceChoice::First).expect("a display");
    let request = ContextRequest { client: Client::Desktop, major: 4, minor: 5, profile: 2, flags: 0 };
    let context = screen.context(&request, None).expect("a context");
    let surface = SurfaceRequest { width: 8, height: 8, red: 8, green: 8, blue: 8, alpha: 8, ..Default::default() };
    let surface = screen.pbuffer(&surface, Client::Desktop).expect("a surface");
    screen.make_current(Some(context), Some(surface), Some(surface)).expect("current");
    screen
}

/// Calls a command whose last parameter is a pointer to memory.
fn with(screen: &mut Screen, command: CommandId, numbers: &[u32], memory: CallMemory<'_>) -> u64 {
    let mut words: Vec<u64> = numbers.iter().map(|number| u64::from(*number)).collect();
    let param = u8::try_from(words.len()).expect("few parameters");
    words.push(0);
    screen.call(command, &words, &mut [PointerArgument { param, memory }])
}

fn error(screen: &mut Screen) -> u32 {
    screen.call(id::glGetError, &[], &mut []) as u32
}

/// A buffer with bytes in it, bound to `GL_ARRAY_BUFFER`. The call claims that there are `size` bytes.
fn buffer(screen: &mut Screen, bytes: &[u8], size: u64) -> u32 {
    let mut name = [0; 4];
    with(screen, id::glGenBuffers, &[1], CallMemory::Output(&mut name));
    let name = u32::from_ne_bytes(name);
    screen.call(id::glBindBuffer, &[c::GL_ARRAY_BUFFER, name].map(u64::from), &mut []);
    let words = [u64::from(c::GL_ARRAY_BUFFER), size, 0, u64::from(c::GL_STATIC_DRAW)];
    let data = PointerArgument { param: 2, memory: CallMemory::Input(bytes) };
    screen.call(id::glBufferData, &words, &mut [data]);
    assert_eq!(error(screen), 0);
    name
}

fn contents(screen: &mut Screen, size: usize) -> Vec<u8> {
    let mut bytes = vec![0xEE; size];
    let words = [c::GL_ARRAY_BUFFER, 0, size as u32];
    with(screen, id::glGetBufferSubData, &words, CallMemory::Output(&mut bytes));
    bytes
}

fn map(screen: &mut Screen) -> MapHandle {
    let words = [c::GL_ARRAY_BUFFER, c::GL_READ_WRITE].map(u64::from);
    let map = screen.call(id::glMapBuffer, &words, &mut []);
    assert_ne!(map, 0);
    MapHandle(map)
}

#[test]
fn a_short_input_is_followed_by_zeros() {
    let mut screen = screen();
    buffer(&mut screen, &[1, 2, 3], 4096);
    let mut expected = vec![1, 2, 3];
    expected.resize(4096, 0);
    assert_eq!(contents(&mut screen, 4096), expected);
    // Of an image as well, whose length depends on how rows are laid out.
    screen.call(id::glPixelStorei, &[c::GL_UNPACK_ROW_LENGTH, 64].map(u64::from), &mut []);
    let words = [c::GL_TEXTURE_2D, 0, c::GL_RGBA8, 2, 2, 0, c::GL_RGBA, c::GL_UNSIGNED_BYTE];
    with(&mut screen, id::glTexImage2D, &words, CallMemory::Input(&[9; 8]));
    screen.call(id::glPixelStorei, &[c::GL_UNPACK_ROW_LENGTH, 0].map(u64::from), &mut []);
    let mut texels = [0xEE; 16];
    let words = [c::GL_TEXTURE_2D, 0, c::GL_RGBA, c::GL_UNSIGNED_BYTE];
    with(&mut screen, id::glGetTexImage, &words, CallMemory::Output(&mut texels));
    assert_eq!(texels, [9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(error(&mut screen), 0);
}

#[test]
fn a_short_output_gets_what_fits() {
    let mut screen = screen();
    screen.call(id::glViewport, &[1, 2, 3, 4], &mut []);
    // Four integers are written, and there is room for one and a half.
    let mut bytes = [0xEE; 6];
    with(&mut screen, id::glGetIntegerv, &[c::GL_VIEWPORT], CallMemory::Output(&mut bytes));
    assert_eq!(bytes, [1, 0, 0, 0, 2, 0]);
    let mut bytes = [0xEE; 5];
    let words = [0, 0, 8, 8, c::GL_RGBA, c::GL_UNSIGNED_BYTE];
    screen.call(id::glClearColor, &[1f32, 0.0, 1.0, 0.0].map(|value| u64::from(value.to_bits())), &mut []);
    screen.call(id::glClear, &[u64::from(c::GL_COLOR_BUFFER_BIT)], &mut []);
    with(&mut screen, id::glReadPixels, &words, CallMemory::Output(&mut bytes));
    assert_eq!(bytes, [255, 0, 255, 0, 255]);
    assert_eq!(error(&mut screen), 0);
}

#[test]
fn several_outputs_of_one_call_are_all_written() {
    let mut screen = screen();
    let source = b"#version 120\nattribute vec4 colours;\nvoid main() { gl_Position = colours; }\n";
    let shader = screen.call(id::glCreateShader, &[u64::from(c::GL_VERTEX_SHADER)], &mut []);
    let texts: [&[u8]; 2] = [&source[..13], &source[13..]];
    // Lengths that claim more than there is do not count.
    let lengths = PointerArgument { param: 3, memory: CallMemory::Input(&[255; 8]) };
    let texts = PointerArgument { param: 2, memory: CallMemory::Inputs(&texts) };
    screen.call(id::glShaderSource, &[shader, 2, 0, 0], &mut [texts, lengths]);
    screen.call(id::glCompileShader, &[shader], &mut []);
    let program = screen.call(id::glCreateProgram, &[], &mut []);
    screen.call(id::glAttachShader, &[program, shader], &mut []);
    screen.call(id::glLinkProgram, &[program], &mut []);
    let (mut length, mut size, mut kind, mut name) = ([0; 4], [0; 4], [0; 4], [0; 64]);
    let mut pointers: Vec<PointerArgument<'_>> = Vec::new();
    for (param, output) in (3u8..).zip([&mut length[..], &mut size, &mut kind, &mut name]) {
        pointers.push(PointerArgument { param, memory: CallMemory::Output(output) });
    }
    screen.call(id::glGetActiveAttrib, &[program, 0, 64, 0, 0, 0, 0], &mut pointers);
    assert_eq!((u32::from_ne_bytes(length), u32::from_ne_bytes(size)), (7, 1));
    assert_eq!((u32::from_ne_bytes(kind), &name[..8]), (c::GL_FLOAT_VEC4, &b"colours\0"[..]));
    let words = [u64::from(program as u32), 0];
    let text = PointerArgument { param: 1, memory: CallMemory::Text(b"colours") };
    assert_ne!(screen.call(id::glGetAttribLocation, &words, &mut [text]), u64::MAX);
    assert_eq!(error(&mut screen), 0);
}

#[test]
fn maps_end_with_what_is_mapped() {
    let mut screen = screen();
    let name = buffer(&mut screen, &[5; 16], 16);
    let first = map(&mut screen);
    assert!(screen.write_map(first, 14, &[1, 2]) && !screen.write_map(first, 15, &[1, 2]));
    assert_eq!(screen.read_map(first, 13, 3).as_deref(), Some(&[5, 1, 2][..]));
    screen.call(id::glUnmapBuffer, &[u64::from(c::GL_ARRAY_BUFFER)], &mut []);
    assert!(screen.read_map(first, 0, 1).is_none());
    let second = map(&mut screen);
    assert_ne!(first, second);
    let words = [u64::from(c::GL_ARRAY_BUFFER), 16, 0, u64::from(c::GL_STATIC_DRAW)];
    screen.call(id::glBufferData, &words, &mut []);
    assert!(!screen.write_map(second, 0, &[1]));
    let third = map(&mut screen);
    with(&mut screen, id::glDeleteBuffers, &[1], CallMemory::Input(&name.to_ne_bytes()));
    assert!(!screen.write_map(third, 0, &[1]));
    assert_eq!(error(&mut screen), 0);
}

#[test]
fn arrays_are_drawn_from_kept_memory() {
    let mut screen = screen();
    let corners: Vec<u8> = [-1f32, -1.0, 3.0, -1.0, -1.0, 3.0].iter().flat_map(|number| number.to_ne_bytes()).collect();
    // The first element is not kept; those from the second on are drawn.
    let kept = screen.keep(None, &corners, 8).expect("memory");
    let memory = CallMemory::Kept(kept);
    with(&mut screen, id::glVertexAttribPointer, &[0, 2, c::GL_FLOAT, 0, 0], memory);
    screen.call(id::glEnableVertexAttribArray, &[0], &mut []);
    let pointer = screen.array_pointer(0);
    assert!(matches!(pointer, ArrayPointer::Memory(_)));
    // Specified otherwise, and again as before.
    with(&mut screen, id::glVertexAttribPointer, &[0, 2, c::GL_FLOAT, 0, 0], CallMemory::Zeros);
    let before = CallMemory::ArrayPointer(pointer);
    with(&mut screen, id::glVertexAttribPointer, &[0, 2, c::GL_FLOAT, 0, 0], before);
    assert_eq!(screen.array_pointer(0), pointer);
    screen.call(id::glColor4f, &[1f32; 4].map(|value| u64::from(value.to_bits())), &mut []);
    screen.call(id::glDrawArrays, &[u64::from(c::GL_TRIANGLES), 1, 3], &mut []);
    let mut pixel = [0; 4];
    let words = [4, 4, 1, 1, c::GL_RGBA, c::GL_UNSIGNED_BYTE];
    with(&mut screen, id::glReadPixels, &words, CallMemory::Output(&mut pixel));
    assert_eq!(pixel, [255; 4]);
    // What the caller owns is not kept.
    with(&mut screen, id::glVertexAttribPointer, &[0, 2, c::GL_FLOAT, 0, 0], CallMemory::Input(&corners));
    assert_eq!(screen.array_pointer(0), ArrayPointer::Offset(0));
    assert_eq!(error(&mut screen), 0);
}

/// A screen with an array of three vertices in memory.
fn screen_with_array(stride: u32) -> Screen {
    let mut screen = screen();
    let kept = screen.keep(None, &[0; 24], 0).expect("memory");
    with(&mut screen, id::glVertexAttribPointer, &[0, 2, c::GL_FLOAT, 0, stride], CallMemory::Kept(kept));
    screen.call(id::glEnableVertexAttribArray, &[0], &mut []);
    screen
}

/// Draws with one index, in memory or in a buffer. Returns why it was refused.
fn draw_index(screen: &mut Screen, index: u32, base: i32, in_buffer: bool) -> Option<Refusal> {
    let bytes = [index; 3].map(u32::to_ne_bytes).concat();
    let base = i64::from(base).cast_unsigned();
    let words = [u64::from(c::GL_TRIANGLES), 3, u64::from(c::GL_UNSIGNED_INT), 0, base];
    if in_buffer {
        let name = buffer(screen, &bytes, 12);
        screen.call(id::glBindBuffer, &[c::GL_ARRAY_BUFFER, 0].map(u64::from), &mut []);
        screen.call(id::glBindBuffer, &[c::GL_ELEMENT_ARRAY_BUFFER, name].map(u64::from), &mut []);
        screen.call(id::glDrawElementsBaseVertex, &words, &mut []);
        let refusal = screen.take_refusal();
        screen.call(id::glBindBuffer, &[c::GL_ELEMENT_ARRAY_BUFFER, 0].map(u64::from), &mut []);
        return refusal;
    }
    let indices = PointerArgument { param: 3, memory: CallMemory::Input(&bytes) };
    screen.call(id::glDrawElementsBaseVertex, &words, &mut [indices]);
    screen.take_refusal()
}

#[test]
fn draws_do_not_leave_their_arrays() {
    let far = Some(Refusal::Vertices);
    let mut screen = screen_with_array(0);
    for in_buffer in [false, true] {
        assert_eq!(draw_index(&mut screen, 2, 0, in_buffer), None);
        // Beyond what was kept, but zeros.
        assert_eq!(draw_index(&mut screen, 1_000_000, 0, in_buffer), None);
        assert_eq!(draw_index(&mut screen, 0xF000_0000, 0, in_buffer), far);
        assert_eq!(draw_index(&mut screen, 1, -2, in_buffer), far);
        assert_eq!(draw_index(&mut screen, 0xF000_0000, -0x7000_0000, in_buffer), far);
    }
    let mut draw = |first: u64, count: u64| {
        screen.call(id::glDrawArrays, &[u64::from(c::GL_POINTS), first, count], &mut []);
        screen.take_refusal()
    };
    assert_eq!([draw(0, 3), draw(100, 3), draw(0x7000_0000, 1)], [None, None, far]);
    // A refusal is that of one call.
    screen.call(id::glDrawArrays, &[u64::from(c::GL_POINTS), 0x7000_0000, 1], &mut []);
    screen.call(id::glFlush, &[], &mut []);
    assert_eq!(screen.take_refusal(), None);
    screen.call(id::glBegin, &[u64::from(c::GL_POINTS)], &mut []);
    screen.call(id::glArrayElement, &[0x7FFF_FFFF], &mut []);
    assert_eq!(screen.take_refusal(), far);
    screen.call(id::glEnd, &[], &mut []);
    // A list of indices that the buffer does not have.
    let name = buffer(&mut screen, &[0; 8], 8);
    screen.call(id::glBindBuffer, &[c::GL_ELEMENT_ARRAY_BUFFER, name].map(u64::from), &mut []);
    let words = [c::GL_TRIANGLES, 3, c::GL_UNSIGNED_INT, 0].map(u64::from);
    screen.call(id::glDrawElements, &words, &mut []);
    assert_eq!(screen.take_refusal(), far);
    assert_eq!(error(&mut screen), 0);
}

#[test]
fn strides_count() {
    let far = Some(Refusal::Vertices);
    let mut screen = screen_with_array(1 << 30);
    let mut draw = |count: u64| {
        screen.call(id::glDrawArrays, &[u64::from(c::GL_POINTS), 0, count], &mut []);
        screen.take_refusal()
    };
    assert_eq!([draw(3), draw(9)], [None, far]);
    // From address 0 on: the array has no memory at all.
    let mut screen = self::screen();
    let words = [0, 2, u64::from(c::GL_FLOAT), 0, 1 << 30, 0];
    screen.call(id::glVertexAttribPointer, &words, &mut []);
    screen.call(id::glEnableVertexAttribArray, &[0], &mut []);
    screen.call(id::glDrawArrays, &[u64::from(c::GL_POINTS), 0x10_0000, 1], &mut []);
    assert_eq!(screen.take_refusal(), far);
}

#[test]
fn draws_without_arrays_in_memory_are_not_refused() {
    let mut screen = screen_with_array(0);
    screen.call(id::glDisableVertexAttribArray, &[0], &mut []);
    assert_eq!(draw_index(&mut screen, 0xF000_0000, 0, true), None);
    screen.call(id::glEnableClientState, &[u64::from(c::GL_TEXTURE_COORD_ARRAY)], &mut []);
    assert_eq!(draw_index(&mut screen, 0xF000_0000, 0, true), Some(Refusal::Vertices));
    assert_eq!(error(&mut screen), 0);
}

#[test]
fn instances_count_and_uncounted_draws_are_refused() {
    let mut screen = screen_with_array(0);
    screen.call(id::glVertexAttribDivisor, &[0, 1], &mut []);
    let words = [u64::from(c::GL_POINTS), 0, 1, 1, 0xF000_0000];
    screen.call(id::glDrawArraysInstancedBaseInstance, &words, &mut []);
    assert_eq!(screen.take_refusal(), Some(Refusal::Vertices));
    let counts = [1u32, 1, 0xF000_0000, 0].map(u32::to_ne_bytes).concat();
    with(&mut screen, id::glDrawArraysIndirect, &[c::GL_POINTS], CallMemory::Input(&counts));
    assert_eq!(screen.take_refusal(), Some(Refusal::Vertices));
    let counts = [1u32, 1, 1, 0].map(u32::to_ne_bytes).concat();
    with(&mut screen, id::glDrawArraysIndirect, &[c::GL_POINTS], CallMemory::Input(&counts));
    assert_eq!(screen.take_refusal(), None);
    screen.call(id::glDrawTransformFeedback, &[c::GL_POINTS, 0].map(u64::from), &mut []);
    assert_eq!(screen.take_refusal(), Some(Refusal::UncountedVertices));
}

#[test]
fn memory_of_this_process_is_no_storage() {
    let mut screen = screen();
    let pinned = u64::from(c::GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD);
    let data = PointerArgument { param: 2, memory: CallMemory::Input(&[0; 16]) };
    screen.call(id::glBufferData, &[pinned, 16, 0, u64::from(c::GL_STATIC_DRAW)], &mut [data]);
    assert_eq!(screen.take_refusal(), Some(Refusal::Address));
    let array = [1, 0, 2, u64::from(c::GL_FLOAT), 0, 0x1000];
    screen.call(id::glVertexArrayVertexOffsetEXT, &array, &mut []);
    assert_eq!(screen.take_refusal(), Some(Refusal::Address));
    // Descriptors, handles of other APIs, lists of pointers.
    let native = [id::glImportMemoryFdEXT, id::glImportSemaphoreFdEXT, id::glVDPAUInitNV, id::glVertexPointerListIBM];
    assert!(native.iter().all(|command| !screen.has(*command)));
}

#[test]
fn more_zeros_than_there_are_is_refused() {
    let mut screen = screen();
    let words = [c::GL_TEXTURE_2D, 0, c::GL_RGBA, 0xFFFF, 0xFFFF, 0, c::GL_RGBA, c::GL_FLOAT];
    with(&mut screen, id::glTexImage2D, &words, CallMemory::Zeros);
    assert_eq!(screen.take_refusal(), Some(Refusal::Length { param: 8 }));
}

#[test]
fn buffers_of_other_contexts_do_not_end_a_map() {
    let mut screen = screen();
    let request = ContextRequest { client: Client::Desktop, major: 4, minor: 5, profile: 2, flags: 0 };
    let apart = screen.context(&request, None).expect("a context");
    let name = buffer(&mut screen, &[0; 8], 8);
    let mapped = map(&mut screen);
    screen.make_current(Some(apart), None, None).expect("current");
    assert_eq!(buffer(&mut screen, &[0; 8], 8), name, "the first name of either context");
    map(&mut screen);
    with(&mut screen, id::glDeleteBuffers, &[1], CallMemory::Input(&name.to_ne_bytes()));
    assert!(screen.write_map(mapped, 0, &[1]));
}

#[test]
fn results_of_rendering_have_room_or_are_refused() {
    let mut screen = screen();
    let room = screen.keep(None, &[0; 64], 0).expect("memory");
    let kept = |memory: KeptMemory| CallMemory::Kept(memory);
    let select = |screen: &mut Screen, count: u32| {
        screen.call(id::glRenderMode, &[u64::from(c::GL_RENDER)], &mut []);
        with(screen, id::glSelectBuffer, &[count], kept(room));
        screen.call(id::glRenderMode, &[u64::from(c::GL_SELECT)], &mut []);
        error(screen)
    };
    // Without a buffer there is no selection (GL 4.6 compatibility, 21.6).
    assert_eq!(select(&mut screen, 17), c::GL_INVALID_OPERATION);
    assert_eq!(select(&mut screen, 16), 0);
    screen.call(id::glInitNames, &[], &mut []);
    screen.call(id::glPushName, &[77], &mut []);
    screen.call(id::glRectf, &[0; 4], &mut []);
    assert_eq!(screen.call(id::glRenderMode, &[u64::from(c::GL_RENDER)], &mut []), 1);
    let hit = screen.read_kept(room, 16).expect("16 bytes");
    assert_eq!(hit[12..], 77u32.to_ne_bytes());
    assert!(screen.read_kept(room, 65).is_none());
}

#[test]
fn numbers_do_not_become_addresses() {
    let mut screen = screen();
    let sync = screen.call(id::glFenceSync, &[u64::from(c::GL_SYNC_GPU_COMMANDS_COMPLETE), 0], &mut []);
    assert_eq!(screen.call(id::glIsSync, &[sync], &mut []), 1);
    screen.call(id::glDeleteSync, &[sync], &mut []);
    assert_eq!(screen.call(id::glIsSync, &[sync], &mut []), 0);
    assert_eq!(screen.call(id::glIsSync, &[0x7F00_0000_1000], &mut []), 0);
    // Null where an address was claimed: no data, rather than data from anywhere.
    let words = [u64::from(c::GL_ARRAY_BUFFER), 16, 0x7F00_0000_1000, u64::from(c::GL_STATIC_DRAW)];
    buffer(&mut screen, &[1; 16], 16);
    screen.call(id::glBufferData, &words, &mut []);
    assert_eq!(error(&mut screen), 0);
    assert!(!screen.has(id::glDebugMessageCallback) && !screen.has(id::eglInitialize));
}

#[test]
fn screens_of_a_thread_are_used_in_turn() {
    let viewport = |screen: &mut Screen| {
        let mut bytes = [0; 16];
        with(screen, id::glGetIntegerv, &[c::GL_VIEWPORT], CallMemory::Output(&mut bytes));
        bytes[0]
    };
    let mut first = screen();
    first.call(id::glViewport, &[1, 0, 8, 8], &mut []);
    let mut other = Screen::open(&DeviceChoice::First).expect("a display");
    // Nothing is called without a context, whatever another screen has.
    other.call(id::glViewport, &[2, 0, 8, 8], &mut []);
    assert_eq!((other.string(c::GL_VERSION, None), viewport(&mut other)), (String::new(), 0));
    assert_eq!(viewport(&mut first), 1);
    let context = other.context(&ContextRequest::default(), None).expect("a context");
    other.make_current(Some(context), None, None).expect("current");
    other.call(id::glViewport, &[3, 0, 8, 8], &mut []);
    assert_eq!([viewport(&mut first), viewport(&mut other), viewport(&mut first)], [1, 3, 1]);
    assert!(!other.string(c::GL_VERSION, None).is_empty());
    drop(other);
    assert_eq!(viewport(&mut first), 1);
    first.make_current(None, None, None).expect("none is current");
    assert_eq!((first.string(c::GL_VERSION, None), viewport(&mut first)), (String::new(), 0));
}

/// A timeline that starts over closes a screen and opens another, again and again.
#[test]
fn a_closed_screen_leaves_nothing_behind() {
    let resident = || {
        let pages = std::fs::read_to_string("/proc/self/statm").expect("a size");
        pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("a number") * 4096
    };
    let bytes = vec![1; 32 << 20];
    let before = resident();
    for _ in 0..32 {
        buffer(&mut screen(), &bytes, bytes.len() as u64);
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < 256 << 20, "32 screens with 32 MB each left {} MB behind", grown >> 20);
}
