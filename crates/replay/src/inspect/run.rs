//! One run of a variant: set up, draw, read, set back.

use std::time::{Duration, Instant};

use api::{Namespace, Trait, constant as c, id};
use device::{Changes, Isolated, Rectangle, Target, Tests};
use driver::Mapped;
use instrument::inspect::{Raw, Run};
use instrument::stream::BLOCK_HEADER;
use instrument::{InspectError, Scope, Transport, Variant};
use open_trace::{DrawCalls, StageShader};
use shader::version::Stage;
use state::View;
use state::reach::Work;
use trace::Reader;

use super::changes::failed;
use super::copy::{Copies, Copy};
use super::effects::{self, Range};
use super::hand::{Hand, word};
use super::isolate::{self, Shape};
use super::scissor::Scissor;
use super::single::{self, Single};
use super::{Cost, Draw, changes, feedback, grid, issue, numbers, stand_in, targets};
use crate::Timeline;
use crate::player::Player;

/// Queries that count what a diversion draws.
const COUNTING: [u32; 6] = [
    c::GL_SAMPLES_PASSED,
    c::GL_ANY_SAMPLES_PASSED,
    c::GL_ANY_SAMPLES_PASSED_CONSERVATIVE,
    c::GL_PRIMITIVES_GENERATED,
    c::GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
    c::GL_TRANSFORM_FEEDBACK_OVERFLOW,
];

/// Targets of pipeline statistics are numbered in a row (GL 4.6, 4.2.2).
const STATISTICS: std::ops::RangeInclusive<u32> = c::GL_VERTICES_SUBMITTED..=c::GL_CLIPPING_OUTPUT_PRIMITIVES;

/// No answer is larger.
const LARGEST: u64 = 1 << 30;

/// A draw, and what it finds itself in.
pub struct Here<'a> {
    pub view: View<'a>,
    pub calls: &'a DrawCalls,
    pub changes: &'a Changes,
    pub target: &'a Target,
    pub stages: &'a [StageShader],
    pub reader: &'a Reader,
    pub singles: Option<&'a [Single]>,
}

/// What is asked for.
pub struct Asked<'a> {
    pub variant: &'a Variant,
    pub stage: Stage,
    pub scope: Scope,
    pub run: Run,
}

/// What comes of a run besides the answer.
#[derive(Default)]
pub struct Account {
    pub cost: Cost,
    pub isolated: Vec<Isolated>,
    pub notes: Vec<&'static str>,
}

impl Draw<'_> {
    pub(super) fn run_asked(&mut self, asked: &Asked<'_>) -> Result<Raw, InspectError> {
        self.isolated.clear();
        let shares = self.changes.layer.is_some_and(|layer| layer.share[1] > 1);
        let isolates = (self.changes.isolate.is_some() || shares) && targets::outputs(asked.variant.transport);
        let shape = match (self.shape.take(), isolates) {
            (None, true) => self.model.view(self.calls.thread).map(|view| {
                let Timeline { player, trace, .. } = &mut *self.timeline;
                let reader = trace.reader();
                Shape::of(player, reader, &self.calls, &view)
            }),
            (known, _) => known,
        };
        let mut isolated = Vec::new();
        let result = self.within(|hand, here, copies, account| {
            let result = answer(hand, here, copies, (asked, shape.as_ref()), account);
            isolated = std::mem::take(&mut account.isolated);
            result
        });
        (self.shape, self.isolated) = (shape, isolated);
        result
    }

    /// How long the draw takes by itself: with the program as it was recorded, to a framebuffer of its own.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn alone(&mut self) -> Result<Duration, InspectError> {
        self.within(|hand, here, _, account| {
            let start = Instant::now();
            prepare(hand, here);
            set_up_targets(hand, here, (Transport::Bytes, Stage::Fragment), None, account)?;
            effects::divert(hand, &here.view, here.calls.work)?;
            account.cost.set_up = start.elapsed();
            draw(hand, here, How::default(), &mut account.cost)?;
            Ok(account.cost.draw)
        })
    }

    /// Does something in the context of the draw, and sets everything back whatever comes of it.
    fn within<T>(
        &mut self,
        work: impl FnOnce(&mut Hand<'_>, &Here<'_>, &mut Copies, &mut Account) -> Result<T, InspectError>,
    ) -> Result<T, InspectError> {
        let Draw { timeline, calls, changes, cost, notes, stages, target, model, can, singles, .. } = self;
        let Timeline { player, trace, spoilt, copies, .. } = &mut **timeline;
        let reader = trace.reader();
        let wrong = |error: crate::ReplayError| InspectError::Failed(error.to_string());
        let Some(view) = model.view(calls.thread) else { return Err(failed("there is no context")) };
        player.world.enter(calls.thread).map_err(wrong)?;
        player.keep_errors();
        let queries = &view.context.active_queries.active;
        *spoilt |= queries.iter().any(|(target, ..)| COUNTING.contains(target) || STATISTICS.contains(target));
        let held = hold_program(player, &view).map_err(wrong)?;
        let here = Here { view, calls, changes, target, stages, reader, singles: singles.as_deref() };
        let mut account = Account::default();
        let mut hand = Hand::new(player, can);
        if can.has(43, 32, &["GL_KHR_debug"]) {
            // What the driver has to say of this is not for the program.
            hand.off(c::GL_DEBUG_OUTPUT);
        }
        let copies = copies.entry(here.view.seat.context).or_default();
        let result = work(&mut hand, &here, copies, &mut account);
        let start = Instant::now();
        hand.undo();
        while player.take_error() != 0 {}
        if held {
            let_program_go(player, view.seat.context).map_err(wrong)?;
        }
        account.cost.set_back = start.elapsed();
        (*cost, *notes) = (account.cost, account.notes);
        result
    }
}

/// A program that was deleted lives only as long as it is in use (GL 4.6, 7.3), so that another context must use it
/// while this one does not.
fn hold_program(player: &mut Player, view: &View<'_>) -> Result<bool, crate::ReplayError> {
    let deleted = view.group.program(view.context.program).is_some_and(|program| program.deleted);
    if deleted && view.context.program != 0 {
        let real = player.world.real_name(Namespace::Program, view.context.program);
        player.world.step_aside(view.seat.context, 0)?;
        player.own_call(id::glUseProgram, &[u64::from(real)]);
        player.world.step_back()?;
    }
    Ok(deleted)
}

fn let_program_go(player: &mut Player, context: u32) -> Result<(), crate::ReplayError> {
    player.world.step_aside(context, 0)?;
    player.own_call(id::glUseProgram, &[0]);
    player.world.step_back()
}

fn answer(
    hand: &mut Hand<'_>,
    here: &Here<'_>,
    copies: &mut Copies,
    (asked, shape): (&Asked<'_>, Option<&Result<Shape, String>>),
    account: &mut Account,
) -> Result<Raw, InspectError> {
    let Asked { variant, stage, scope, run } = *asked;
    if let Transport::Memory(_) = variant.transport {
        return Err(failed("a driver lets nobody look into its invocations"));
    }
    let start = Instant::now();
    prepare(hand, here);
    if let Transport::Feedback(_) = variant.transport {
        feedback::bind(hand);
    }
    let (copy, build) = copies.get(hand, &here.view, here.stages, (stage, variant))?;
    account.cost.build = build;
    // What is built counts for itself.
    let start = start + build.unwrap_or_default();
    let one = !matches!(scope, Scope::All | Scope::Blocks);
    let picked = stage == Stage::Fragment && one && run.pick[0] >= 0 && run.pick[1] >= 0;
    let only = picked.then(|| [run.pick[0].cast_unsigned(), run.pick[1].cast_unsigned()]);
    let [width, height] = here.target.size;
    if let Some([x, y]) = only.filter(|[x, y]| *x >= width || *y >= height) {
        return Err(failed(&format!("pixel {x}, {y} lies outside of the {width}x{height} pixels that are drawn to")));
    }
    let upper = variant.controls.upper_left;
    let only = only.map(|[x, y]| [x, if upper { height - 1 - y } else { y }]);
    let grid = (variant.transport == Transport::PointGrid).then(|| grid::size(here)).transpose()?;
    match grid {
        Some(size) => grid::set_up(hand, size, account)?,
        None => set_up_targets(hand, here, (variant.transport, stage), only, account)?,
    }
    effects::divert(hand, &here.view, here.calls.work)?;
    let facts = here.stages.iter().find(|facts| facts.stage == stage);
    let recorded = facts.and_then(|facts| facts.recorded(&here.view));
    let recorded = recorded.ok_or_else(|| failed("there is no program"))?;
    copy.install(hand, &here.view, (recorded, here.changes))?;
    if let Some(whole) = facts.and_then(|facts| facts.whole.as_ref()) {
        stand_in::prepare(whole, hand, copy);
        account.notes.extend(open_trace::notes(here.stages));
    }
    changes::give_attributes(here.changes, hand, copy.program)?;
    changes::give_textures(here.changes, hand, copy.program, recorded)?;
    give_controls(hand, copy, variant, run);
    let mut how = How::default();
    if let Some(attribute) = &variant.controls.vertex {
        how.numbers = numbers::give(hand, here, copy, attribute)?;
    }
    if let Some(size) = grid {
        account.cost.set_up = start.elapsed();
        return grid::answer(hand, here, (copy, variant, how), size, account);
    }
    match variant.transport {
        Transport::Storage => {
            let block = Block::bind(hand, here, copy, variant, run)?;
            account.cost.set_up = start.elapsed();
            // Nobody asks what a listing takes, and waiting is most of it where there are many.
            let wait = if here.changes.listing.is_some() { Wait::No } else { Wait::Yes };
            draw_and(wait, hand, here, how, &mut account.cost)?;
            let start = Instant::now();
            let words = block.read(hand)?;
            account.cost.read = start.elapsed();
            Ok(Raw::Block(words))
        }
        Transport::Feedback(words) => {
            account.cost.set_up = start.elapsed();
            feedback::capture(hand, here, (stage, words, how), &mut account.cost).map(Raw::List)
        }
        transport => {
            account.cost.set_up = start.elapsed();
            if let (Some(isolate), Some(shape), Some(listed)) = (&here.changes.isolate, shape, here.changes.listing) {
                let listed = within(listed, here.target.size);
                let (isolated, rows) =
                    isolate::answer(hand, here, (isolate, shape), (transport, listed, upper), account)?;
                account.isolated = isolated;
                return Ok(Raw::List(rows));
            }
            let share = here.changes.layer.map(|layer| layer.share).filter(|[_, shares]| *shares > 1);
            match (share, shape) {
                (Some(share), Some(shape)) => isolate::draw_share(hand, here, shape, share)?,
                _ => draw(hand, here, how, &mut account.cost)?,
            }
            let start = Instant::now();
            let layer = here.changes.layer.map(|layer| within(layer.rectangle, here.target.size));
            let listed = here.changes.listing.or(layer).unwrap_or([0, 0, width, height]);
            let rectangle = only.map_or(listed, |[x, y]| [x, y, 1, 1]);
            let mut words = targets::read(hand, transport, rectangle);
            account.cost.read = start.elapsed();
            let mut rectangle = rectangle;
            if upper {
                // Rows as the shader counts them.
                let row = words.len() / rectangle[3] as usize;
                words = words.chunks_exact(row.max(1)).rev().flatten().copied().collect();
                rectangle[1] = height - rectangle[1] - rectangle[3];
            }
            Ok(Raw::Grid { rectangle, words })
        }
    }
}

/// What of a rectangle lies within a size.
fn within([x, y, width, height]: Rectangle, [right, top]: [u32; 2]) -> Rectangle {
    let (x, y) = (x.min(right), y.min(top));
    [x, y, width.min(right - x), height.min(top - y)]
}

/// Stops what would take part in, or take notice of, what is drawn, until all is undone.
fn prepare(hand: &mut Hand<'_>, here: &Here<'_>) {
    let context = here.view.context;
    if let Some((query, mode)) = context.active_queries.condition {
        let real = hand.player.world.real_name(Namespace::Query, query);
        hand.later_call(id::glBeginConditionalRender, &[u64::from(real), u64::from(mode)]);
        hand.call(id::glEndConditionalRender, &[]);
    }
    let feedback = context.transform_feedbacks.get(&context.transform_feedback);
    if feedback.is_some_and(|feedback| feedback.mode.is_some() && !feedback.paused) {
        hand.later_call(id::glResumeTransformFeedback, &[]);
        hand.call(id::glPauseTransformFeedback, &[]);
    }
    issue::keep_current(hand, here.calls);
}

/// Where primitives go: fragments to a framebuffer of the diversion's own, others nowhere.
fn set_up_targets(
    hand: &mut Hand<'_>,
    here: &Here<'_>,
    (transport, stage): (Transport, Stage),
    only: Option<[u32; 2]>,
    account: &mut Account,
) -> Result<(), InspectError> {
    if here.calls.work == Work::Dispatch {
        return Ok(());
    }
    if stage != Stage::Fragment && !targets::outputs(transport) {
        hand.on(c::GL_RASTERIZER_DISCARD);
        return Ok(());
    }
    let scissor = Scissor::keep(hand);
    let (listing, layer) = (here.changes.listing, here.changes.layer.filter(|_| targets::outputs(transport)));
    let tests = if listing.is_some() || layer.is_some() { Tests::Off } else { here.changes.tests };
    let early = here.stages.iter().any(|facts| facts.shader.typed.stage.early_fragment_tests);
    // Without tests nothing needs to be there; a block of storage is all that fragments write to.
    let bare = match here.changes.listing {
        Some(_) => targets::need_nothing(hand, here.target),
        None => !early && targets::can_be_bare(hand, here.target),
    };
    let isolates = here.changes.isolate.is_some() && listing.is_some() && targets::outputs(transport);
    let ordinal = layer.map(|layer| layer.ordinal).or(isolates.then_some(0));
    // Derivatives are those of 2x2 pixels, so these are drawn (GLSL 4.60, 8.14.1 leaves the rest to drivers).
    let quad = only.map(|[x, y]| [x & !1, y & !1, 2, 2].map(u32::cast_signed));
    let listed = listing.map(|rectangle| rectangle.map(u32::cast_signed));
    let quad = quad.or(layer.map(|layer| layer.rectangle.map(u32::cast_signed)));
    let drawn = (tests, &scissor, quad.or(listed));
    account.notes.extend(targets::divert(hand, here.target, transport, drawn, (bare, ordinal))?);
    match listed {
        Some(rectangle) => {
            scissor.only(hand, rectangle);
            hand.off(c::GL_CULL_FACE);
            if hand.can.compatibility {
                hand.off(c::GL_POLYGON_STIPPLE);
            }
        }
        None => scissor.close(hand, quad),
    }
    Ok(())
}

fn give_controls(hand: &mut Hand<'_>, copy: Copy, variant: &Variant, run: Run) {
    let controls = &variant.controls;
    let one = if copy.pipeline.is_some() { id::glProgramUniform1i } else { id::glUniform1i };
    let four = if copy.pipeline.is_some() { id::glProgramUniform4i } else { id::glUniform4i };
    let give = |hand: &mut Hand<'_>, name: &str, command, values: &[i32]| {
        let place = copy.location(hand, name.as_bytes());
        if name.is_empty() || place < 0 {
            return;
        }
        let mut words = Vec::new();
        if copy.pipeline.is_some() {
            words.push(u64::from(copy.program));
        }
        words.push(word(place));
        words.extend(values.iter().map(|value| word(*value)));
        hand.call(command, &words);
    };
    give(hand, &controls.on, one, &[i32::from(run.on)]);
    give(hand, &controls.pick, four, &run.pick);
    give(hand, &controls.base, one, &[run.base.cast_signed()]);
    give(hand, &controls.regions, one, &[run.room[1].cast_signed()]);
}

/// Whether drawing is waited for, to know how long it takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Yes,
    No,
}

/// How a draw is made otherwise than recorded.
#[derive(Clone, Copy, Default)]
pub struct How {
    /// Primitives are of this kind.
    pub mode: Option<u32>,
    /// Vertices that are given one by one have their numbers in this attribute.
    pub numbers: Option<u32>,
}

/// Draws, and waits until that is done.
pub fn draw(hand: &mut Hand<'_>, here: &Here<'_>, how: How, cost: &mut Cost) -> Result<(), InspectError> {
    draw_and(Wait::Yes, hand, here, how, cost)
}

fn draw_and(wait: Wait, hand: &mut Hand<'_>, here: &Here<'_>, how: How, cost: &mut Cost) -> Result<(), InspectError> {
    if wait == Wait::Yes {
        hand.player.finish();
    }
    while hand.player.take_error() != 0 {}
    let start = Instant::now();
    let condition = here.view.context.active_queries.condition;
    if let Some((query, mode)) = condition {
        let real = hand.player.world.real_name(Namespace::Query, query);
        hand.call(id::glBeginConditionalRender, &[u64::from(real), u64::from(mode)]);
    }
    let issued = match (how.numbers, here.singles) {
        (Some(attribute), Some(singles)) => single::issue(hand, here.reader, singles, (attribute, how.mode)),
        _ => issue::issue(hand, here.reader, here.calls, how.mode),
    };
    if condition.is_some() {
        hand.call(id::glEndConditionalRender, &[]);
    }
    issued?;
    if wait == Wait::No && !here.calls.about().has(Trait::FromArrays) {
        // Mesa collects vertices of immediate mode, and neither a barrier nor mapping a buffer makes it draw them.
        hand.player.flush();
    }
    hand.barrier();
    if wait == Wait::Yes {
        hand.player.finish();
    }
    cost.draw = start.elapsed();
    match hand.player.take_error() {
        0 => Ok(()),
        error => Err(failed(&format!("the driver refuses to draw (error {error:#06x})"))),
    }
}

/// The storage block of a variant.
struct Block {
    buffer: u32,
    words: u64,
}

impl Block {
    /// Binds a block where nothing else of the program is.
    fn bind(
        hand: &mut Hand<'_>,
        here: &Here<'_>,
        copy: Copy,
        variant: &Variant,
        run: Run,
    ) -> Result<Block, InspectError> {
        let [room, regions] = run.room.map(u64::from);
        let words = u64::from(BLOCK_HEADER) + room * regions;
        if words * 4 > LARGEST {
            return Err(failed(&format!("an answer of {regions} times {room} words is too large")));
        }
        let target = u64::from(c::GL_SHADER_STORAGE_BUFFER);
        hand.keep_buffer(c::GL_SHADER_STORAGE_BUFFER, c::GL_SHADER_STORAGE_BUFFER_BINDING);
        let buffer = hand.generate(id::glGenBuffers);
        hand.delete_later(id::glDeleteBuffers, buffer);
        let mut zeros = vec![0u32; words as usize];
        zeros[1] = run.room[0];
        hand.call(id::glBindBuffer, &[target, u64::from(buffer)]);
        let usage = u64::from(c::GL_DYNAMIC_READ);
        hand.call(id::glBufferData, &[target, words * 4, zeros.as_ptr() as u64, usage]);
        // A block that the compiler found no use for has nothing to say.
        if let Some(index) = copy.storage_block(hand, variant.controls.block.as_bytes()) {
            let binding = Self::binding(hand, here, copy, index)?;
            Range::STORAGE.keep(hand, binding);
            hand.call(id::glBindBufferBase, &[target, u64::from(binding), u64::from(buffer)]);
        }
        Ok(Block { buffer, words })
    }

    fn binding(hand: &mut Hand<'_>, here: &Here<'_>, copy: Copy, index: u32) -> Result<u32, InspectError> {
        let bindings = copy.storage_bindings(hand);
        let others = bindings.iter().enumerate().filter(|(at, _)| *at != index as usize).map(|(_, binding)| *binding);
        let running = here.stages.iter().filter_map(|facts| here.view.group.program(facts.program));
        let used: Vec<u32> =
            others.chain(running.flat_map(|program| program.bindings.storage.iter().copied())).collect();
        let given = bindings.get(index as usize).copied().unwrap_or(0);
        if !used.contains(&given) {
            return Ok(given);
        }
        let most = hand.integer(c::GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS).max(0).cast_unsigned();
        let free = (0..most).rev().find(|binding| !used.contains(binding)).filter(|_| hand.can.desktop);
        let free = free.ok_or_else(|| InspectError::Rejected {
            log: "the program leaves no binding free for a storage block".to_owned(),
            source_text: String::new(),
        })?;
        hand.call(id::glShaderStorageBlockBinding, &[copy.program, index, free].map(u64::from));
        Ok(free)
    }

    fn read(&self, hand: &mut Hand<'_>) -> Result<Vec<u32>, InspectError> {
        let target = c::GL_SHADER_STORAGE_BUFFER;
        hand.call(id::glBindBuffer, &[u64::from(target), u64::from(self.buffer)]);
        read_buffer(hand, target, self.words)
    }
}

/// Words of the buffer that is bound to a target.
pub fn read_buffer(hand: &mut Hand<'_>, target: u32, words: u64) -> Result<Vec<u32>, InspectError> {
    if words == 0 {
        return Ok(Vec::new());
    }
    let (target, size) = (u64::from(target), words * 4);
    let address = hand.call(id::glMapBufferRange, &[target, 0, size, u64::from(c::GL_MAP_READ_BIT)]);
    if address == 0 {
        return Err(failed("the driver does not show what was written"));
    }
    #[allow(unsafe_code, reason = "a driver's map is memory that only the driver knows of")]
    // SAFETY: the driver returned a map that is not null of as many bytes as it was asked for; it is read before it is
    // unmapped, and not kept.
    let mapped = unsafe { Mapped::new(address as *mut _, size as usize) };
    let bytes = mapped.read(0, size as usize).unwrap_or_default();
    hand.call(id::glUnmapBuffer, &[target]);
    Ok(bytes.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap_or_default())).collect())
}
