//! Memory of programs that no GLSL shader could be lowered to: every width in every space, pointers as values.

use std::sync::Arc;

use emulator::host::{Host, Space};
use emulator::ir::{
    Access, Address, AtomicOp, Base, Block, BlockId, Function, FunctionId, Instruction, Marker, Pointer, Program,
    Register, SiteId, Terminator, Types, Width,
};
use emulator::travel::{Arrival, Lane, Limits, Travel, Watch};
use emulator::wave::{Fault, Observer};
use emulator::{Interpreter, Wave, WaveState};
use lanes::{Mask, Numerics, Op2};

/// Bytes of every buffer, and of private memory.
const BYTES: u32 = 32;
/// Spaces that can be read and written.
const WRITABLE: [Space; 5] = [Space::Private, Space::Workgroup, Space::Patch, Space::Storage, Space::Counter];
const WIDTHS: [Width; 4] = [Width::W8, Width::W16, Width::W32, Width::W64];

/// One buffer in each space, with slot 2.
#[derive(Clone, PartialEq, Debug)]
struct Buffers([Vec<u8>; 7]);

impl Buffers {
    /// Buffers in which each byte is its own number, from 1 on.
    fn numbered() -> Buffers {
        Buffers(std::array::from_fn(|_| (1..=BYTES as u8).collect()))
    }

    fn of(&self, space: Space) -> &[u8] {
        &self.0[space as usize]
    }
}

impl Host for Buffers {
    fn copy_bytes(&self) -> usize {
        7 * BYTES as usize
    }

    fn buffer(&mut self, space: Space, slot: u32) -> &mut [u8] {
        assert!(!matches!(space, Space::Private | Space::Generic), "a host is not asked for {space:?}");
        if slot == 2 { &mut self.0[space as usize] } else { &mut [] }
    }
}

/// The accesses that led nowhere.
#[derive(Default)]
struct Faults(Vec<(usize, Fault)>);

impl Observer<4> for Faults {
    fn fault(&mut self, _: &WaveState<4>, lane: usize, fault: Fault) {
        self.0.push((lane, fault));
    }
}

/// A program of blocks of instructions; registers 0 to 15 are for the tests.
fn program(blocks: Vec<(Vec<Instruction>, Terminator)>) -> Arc<Program> {
    let block = |(instructions, terminator): (Vec<Instruction>, Terminator)| Block {
        origins: vec![None; instructions.len()],
        instructions,
        notes: Vec::new(),
        terminator,
        meets: None,
    };
    let mut blocks: Vec<Block> = blocks.into_iter().map(block).collect();
    emulator::ir::flow::find_meeting_points(&mut blocks);
    let nothing = block((Vec::new(), Terminator::Return));
    let function = |name: &str, blocks| Function { name: name.to_owned(), unit: 0, blocks };
    Arc::new(Program {
        functions: vec![function("main", blocks), function("(globals)", vec![nothing])],
        entry: FunctionId(0),
        globals: FunctionId(1),
        registers: 16,
        private_bytes: BYTES,
        workgroup_bytes: BYTES,
        patch_bytes: BYTES,
        types: Types::default(),
        variables: Vec::new(),
        units: Vec::new(),
        blocks: Vec::new(),
        lookups: Vec::new(),
        image_ops: Vec::new(),
        presets: Vec::new(),
    })
}

fn straight(instructions: Vec<Instruction>) -> Arc<Program> {
    program(vec![(instructions, Terminator::Return)])
}

fn r(number: u32) -> Register {
    Register(number)
}

fn at(space: Space, offset: u32) -> Address {
    Address::of(Pointer { space, slot: 2, offset })
}

fn through(pointer: Register, space: Space) -> Address {
    Address { space, base: Base::Pointer(pointer), offset: 0, index: None }
}

fn read(width: Width, signed: bool, to: Register, from: Address) -> Instruction {
    Instruction::Read(Access { width, signed }, to, from)
}

/// Runs a program whose registers hold these words in every lane.
fn run(program: &Arc<Program>, words: &[(u32, [u32; 4])], host: &mut Buffers, faults: &mut Faults) -> WaveState<4> {
    let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
    words.iter().for_each(|(register, values)| wave.set(r(*register), *values));
    wave.main(Mask::ALL, 1000, host, faults).expect("an end");
    wave.into_parts().1
}

fn bits(wave: &WaveState<4>, register: u32, lane: usize) -> u64 {
    u64::from(wave.register(r(register))[lane]) | u64::from(wave.register(r(register + 1))[lane]) << 32
}

/// What lies in a space after a run, as a lane sees it.
fn memory(wave: &WaveState<4>, host: &Buffers, space: Space, lane: usize) -> Vec<u8> {
    if space == Space::Private { wave.private_memory(lane) } else { host.of(space).to_vec() }
}

#[test]
fn every_width_is_written_and_read_in_every_space() {
    let value = 0xf1e2_d3c4_b5a6_9788u64;
    for space in WRITABLE {
        for width in WIDTHS {
            // At an offset that is a multiple of no width.
            let offset = 5;
            let code = vec![
                Instruction::Write(width, at(space, offset), r(0)),
                read(width, false, r(2), at(space, offset)),
                read(width, true, r(4), at(space, offset)),
            ];
            let (mut host, mut faults) = (Buffers::numbered(), Faults::default());
            let before = memory(&WaveState::new(&straight(Vec::new())), &host, space, 0);
            let words = [(0, [value as u32; 4]), (1, [(value >> 32) as u32; 4]), (3, [7; 4]), (5, [7; 4])];
            let wave = run(&straight(code), &words, &mut host, &mut faults);
            let len = width.bytes() as usize;
            let mut expected = before;
            expected[5..5 + len].copy_from_slice(&value.to_le_bytes()[..len]);
            for lane in 0..4 {
                assert_eq!(memory(&wave, &host, space, lane), expected, "{space:?} {width:?}");
                let kept = 7u64 << 32;
                let (unsigned, signed) = match width {
                    Width::W8 => (0x88 | kept, 0xffff_ff88 | kept),
                    Width::W16 => (0x9788 | kept, 0xffff_9788 | kept),
                    Width::W32 => (0xb5a6_9788 | kept, 0xb5a6_9788 | kept),
                    Width::W64 => (value, value),
                };
                assert_eq!((bits(&wave, 2, lane), bits(&wave, 4, lane)), (unsigned, signed), "{space:?} {width:?}");
            }
            assert_eq!(faults.0, []);
        }
    }
}

#[test]
fn uniforms_are_only_read() {
    let code = vec![
        read(Width::W8, true, r(2), at(Space::Uniform, 3)),
        read(Width::W16, false, r(3), at(Space::Uniform, 3)),
        read(Width::W64, false, r(4), at(Space::Uniform, 3)),
        Instruction::Write(Width::W32, at(Space::Uniform, 0), r(0)),
        Instruction::Write(Width::W8, at(Space::Uniform, 0), r(0)),
    ];
    let (mut host, mut faults) = (Buffers::numbered(), Faults::default());
    let wave = run(&straight(code), &[], &mut host, &mut faults);
    assert_eq!([2, 3].map(|register| wave.register(r(register))[3]), [0x04, 0x0504]);
    assert_eq!(bits(&wave, 4, 0), 0x0b0a_0908_0706_0504);
    assert_eq!((host, faults.0.len()), (Buffers::numbered(), 8));
}

/// Accesses that end outside: reads give zero, writes do nothing, and each is reported.
#[track_caller]
fn check_outside(width: Width, address: Address, words: &[(u32, [u32; 4])]) -> Fault {
    let code = vec![read(width, true, r(2), address), Instruction::Write(width, address, r(0))];
    let (mut host, mut faults) = (Buffers::numbered(), Faults::default());
    let words: Vec<_> = words.iter().copied().chain([(0, [9; 4]), (1, [9; 4]), (2, [9; 4]), (3, [9; 4])]).collect();
    let wave = run(&straight(code), &words, &mut host, &mut faults);
    let read = if width == Width::W64 { 0 } else { 9 << 32 };
    assert_eq!((0..4).map(|lane| bits(&wave, 2, lane)).collect::<Vec<_>>(), [read; 4], "{width:?} {address:?}");
    assert_eq!(host, Buffers::numbered(), "{width:?} {address:?}");
    assert_eq!(wave.private_memory(0), [0; BYTES as usize]);
    let lanes: Vec<usize> = faults.0.iter().map(|(lane, _)| *lane).collect();
    assert_eq!(lanes, [0, 1, 2, 3, 0, 1, 2, 3]);
    assert!(faults.0.iter().all(|fault| fault.1 == faults.0[0].1));
    faults.0[0].1
}

#[test]
fn outside_of_memory_are_zeros_and_nothing_is_written() {
    for space in WRITABLE {
        for width in WIDTHS {
            let outside =
                |offset: u32| Fault::Memory { space, slot: 2, offset: Some(offset as usize), bytes: BYTES as usize };
            // The last byte of the access is the first outside.
            let last = BYTES - width.bytes() + 1;
            assert_eq!(check_outside(width, at(space, last), &[]), outside(last));
            assert_eq!(check_outside(width, at(space, u32::MAX), &[]), outside(u32::MAX));
            let wraps = Address { index: Some(r(8)), ..at(space, u32::MAX) };
            let fault = check_outside(width, wraps, &[(8, [1; 4])]);
            assert_eq!(fault, Fault::Memory { space, slot: 2, offset: None, bytes: BYTES as usize });
            let pointer = Pointer { space, slot: 2, offset: last }.to_bits();
            let words = [(8, [pointer as u32; 4]), (9, [(pointer >> 32) as u32; 4])];
            assert_eq!(check_outside(width, through(r(8), Space::Generic), &words), outside(last));
            if space != Space::Private {
                let unbound = Address { base: Base::Slot(0, Some(r(8))), ..at(space, 0) };
                let fault = check_outside(width, unbound, &[(8, [3; 4])]);
                assert_eq!(fault, Fault::Memory { space, slot: 3, offset: Some(0), bytes: 0 });
            }
        }
    }
}

#[test]
fn pointers_to_nothing_lead_nowhere() {
    for width in WIDTHS {
        assert_eq!(check_outside(width, through(r(8), Space::Generic), &[(8, [0; 4]), (9, [0; 4])]), Fault::Pointer);
        // A pointer to storage is none to the workgroup's memory.
        let storage = Pointer { space: Space::Storage, slot: 2, offset: 0 }.to_bits();
        let words = [(8, [storage as u32; 4]), (9, [(storage >> 32) as u32; 4])];
        assert_eq!(check_outside(width, through(r(8), Space::Workgroup), &words), Fault::Pointer);
    }
}

#[test]
fn pointers_are_values() {
    // A pointer is taken, moved, stored in memory, read again and used, in each lane at another place.
    for space in WRITABLE {
        let code = vec![
            Instruction::PointerTo(r(4), Address { index: Some(r(2)), ..at(space, 4) }),
            Instruction::WideBinary(Op2::IAdd, r(4), r(4), r(6)),
            Instruction::Write(Width::W64, at(Space::Private, 16), r(4)),
            read(Width::W64, false, r(8), at(Space::Private, 16)),
            Instruction::Write(Width::W16, through(r(8), Space::Generic), r(0)),
            read(Width::W8, false, r(10), through(r(8), space)),
            Instruction::Bytes(r(11), through(r(8), Space::Generic)),
            Instruction::Atomic(AtomicOp::Add, r(12), through(r(8), Space::Generic), [r(0), r(0)]),
        ];
        let (mut host, mut faults) = (Buffers::numbered(), Faults::default());
        let words = [(0, [0x101, 0x202, 0x303, 0x404]), (2, [0, 2, 4, 6]), (6, [1; 4])];
        let wave = run(&straight(code), &words, &mut host, &mut faults);
        for lane in 0..4 {
            let place = 5 + 2 * lane;
            let pointer = Pointer { space, slot: 2, offset: place as u32 };
            assert_eq!(Pointer::from_bits(bits(&wave, 8, lane)), Some(pointer));
            assert_eq!([10, 11].map(|register| wave.register(r(register))[lane]), [lane as u32 + 1, BYTES]);
            let bytes = memory(&wave, &host, space, lane);
            assert_eq!(bytes[place], 2 * (lane as u8 + 1), "{space:?} lane {lane}");
        }
        assert_eq!(faults.0, []);
    }
}

#[test]
fn lanes_access_memory_by_themselves() {
    // Lanes 0 and 2 write a byte each, the others a word; then all read the byte of the lane after them.
    let index = |offset| Address { index: Some(r(2)), ..at(Space::Workgroup, offset) };
    let own = |offset| Address { index: Some(r(2)), ..at(Space::Private, offset) };
    let blocks = vec![
        (Vec::new(), Terminator::Branch(r(1), BlockId(1), BlockId(2))),
        (
            vec![
                Instruction::Write(Width::W8, index(0), r(0)),
                Instruction::Write(Width::W8, own(0), r(0)),
                Instruction::Copy(r(6), r(0)),
            ],
            Terminator::Jump(BlockId(3)),
        ),
        (
            vec![Instruction::Write(Width::W32, index(0), r(0)), read(Width::W16, true, r(6), own(0))],
            Terminator::Jump(BlockId(3)),
        ),
        (vec![read(Width::W8, false, r(4), index(4)), read(Width::W8, false, r(5), own(0))], Terminator::Return),
    ];
    let (mut host, mut faults) = (Buffers::numbered(), Faults::default());
    let words = [(0, [0xa0, 0xfffb, 0xa2, 0xfffd]), (1, [1, 0, 1, 0]), (2, [0, 4, 8, 12]), (6, [5; 4])];
    let wave = run(&program(blocks), &words, &mut host, &mut faults);
    let bytes = host.of(Space::Workgroup);
    assert_eq!(bytes[..4], [0xa0, 2, 3, 4]);
    assert_eq!(bytes[4..8], [0xfb, 0xff, 0, 0]);
    assert_eq!((bytes[8], &bytes[12..16]), (0xa2, &[0xfd, 0xff, 0, 0][..]));
    assert_eq!(wave.register(r(4)), &[0xfb, 0xa2, 0xfd, 17]);
    // Private memory belongs to each lane: the others find nothing of lanes 0 and 2 there.
    assert_eq!(wave.register(r(5)), &[0xa0, 0, 0xa2, 0]);
    assert_eq!(wave.register(r(6)), &[0xa0, 0, 0xa2, 0]);
    assert_eq!([0, 1, 2].map(|lane| wave.private_memory(lane).iter().filter(|byte| **byte != 0).count()), [1, 0, 1]);
}

#[test]
fn helpers_write_nothing() {
    let code = vec![
        Instruction::Write(Width::W8, Address { index: Some(r(2)), ..at(Space::Storage, 0) }, r(0)),
        Instruction::WideAtomic(AtomicOp::Add, r(4), at(Space::Storage, 8), [r(0), r(0)]),
    ];
    let mut wave: Wave<4> = Wave::new(&straight(code), Numerics::IEEE);
    wave.set(r(0), [0xaa; 4]);
    wave.set(r(2), [0, 1, 2, 3]);
    wave.set_helpers(Mask::from_bits(0b0110));
    let mut host = Buffers(std::array::from_fn(|_| vec![0; BYTES as usize]));
    wave.main(Mask::ALL, 100, &mut host, &mut ()).expect("an end");
    assert_eq!(host.of(Space::Storage)[..4], [0xaa, 0, 0, 0xaa]);
    assert_eq!(host.of(Space::Storage)[8..10], [0x54, 1], "twice 0xaa");
}

/// A statement for each byte that is written: to private memory, and every other time to storage.
fn diary() -> Arc<Program> {
    let mut code = Vec::new();
    for number in 0..400u32 {
        code.push(Instruction::Marker(Marker::Statement(SiteId::statement(number))));
        code.push(Instruction::Constant(r(0), number));
        let space = if number % 2 == 0 { Space::Private } else { Space::Storage };
        let width = [Width::W8, Width::W16, Width::W32, Width::W64][number as usize / 2 % 4];
        code.push(Instruction::Write(width, at(space, number * 7 % 24), r(0)));
    }
    straight(code)
}

fn travel(program: &Arc<Program>, bytes: usize) -> Travel<4, Buffers> {
    let mut wave: WaveState<4> = WaveState::new(program);
    wave.start(Mask::ALL);
    let limits = Limits { bytes, ..Limits::default() };
    Travel::new(Interpreter::default(), vec![wave], Buffers::numbered(), limits)
}

#[test]
fn memory_is_part_of_checkpoints() {
    let program = diary();
    for bytes in [0, 20_000, 1 << 20] {
        let (mut forwards, mut backwards) = (travel(&program, bytes), travel(&program, bytes));
        assert_eq!(backwards.to_end(), Arrival::End);
        for time in (0..backwards.time()).rev().step_by(13) {
            assert_eq!((backwards.go_to(time), forwards.to_start()), (Arrival::There, Arrival::Start));
            forwards.go_to(time);
            assert!(forwards.same_state(&backwards) && forwards.host() == backwards.host(), "time {time}");
        }
    }
}

#[test]
fn the_last_write_of_any_width_is_found() {
    let mut travel = travel(&diary(), 1 << 20);
    travel.to_end();
    // The last statements that write byte 13 of storage: each offset comes round every 24 statements.
    let covers = |number: &u32| {
        let start = number * 7 % 24;
        let len = [1, 2, 4, 8][*number as usize / 2 % 4];
        number % 2 == 1 && (start..start + len).contains(&13)
    };
    let mut expected: Vec<u32> = (0..400).filter(covers).collect();
    let watch = Watch::Memory { space: Space::Storage, slot: 2, offset: 12, words: 1 };
    let touches = |number: &u32| {
        let start = number * 7 % 24;
        let len = [1, 2, 4, 8][*number as usize / 2 % 4];
        number % 2 == 1 && start < 16 && start + len > 12
    };
    let mut touching: Vec<u32> = (0..400).filter(touches).collect();
    while let Some(number) = touching.pop() {
        let write = travel.last_write(watch).expect("a write");
        let moment = write.moment.expect("a moment");
        assert_eq!(moment.site, SiteId::statement(number));
        assert_eq!(write.lane, Lane { wave: 0, lane: 3 }, "the last lane writes last");
        if expected.last() == Some(&number) {
            expected.pop();
            let start = number * 7 % 24;
            let byte = (u64::from(number) >> (8 * (13 - start))) as u8;
            assert_eq!(write.new[0] >> 8 & 0xff, u32::from(byte), "statement {number}");
        }
        assert_eq!(travel.go_to(write.time), Arrival::There);
    }
    assert_eq!(travel.last_write(watch), None);
    assert!(expected.is_empty());
}
