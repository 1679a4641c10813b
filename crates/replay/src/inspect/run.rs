//! One run of a variant: set up, draw, read, restore.

use std::time::Duration;

use api::call::MapHandle;
use api::{Namespace, Trait, constant as c, id};
use device::{Changes, Isolated, Rectangle, Target, Tests};
use instrument::inspect::{Raw, Run};
use instrument::stream::BLOCK_HEADER;
use instrument::{InspectError, Scope, Transport, Variant};
use open_trace::{DrawCalls, StageShader};
use shader::version::Stage;
use state::View;
use state::reach::WorkKind;
use trace::Reader;

use super::changes::failed;
use super::copy::{Copies, Copy};
use super::effects::{self, Range};
use super::isolate::{self, Shape};
use super::scissor::Scissor;
use super::single;
use super::undo::{UndoRecorder, word};
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

/// A draw and its context.
pub struct Here<'a> {
    pub view: View<'a>,
    pub calls: &'a DrawCalls,
    pub changes: &'a Changes,
    pub target: &'a Target,
    pub stages: &'a [StageShader],
    pub reader: &'a Reader,
    pub singles: Option<&'a [open_trace::Single]>,
}

/// The question.
pub struct DrawQuestion<'a> {
    pub variant: &'a Variant,
    pub stage: Stage,
    pub scope: Scope,
    pub run: Run,
}

/// Results of a run besides the answer.
#[derive(Default)]
pub struct Account {
    pub cost: Cost,
    pub isolated: Vec<Isolated>,
    pub notes: Vec<&'static str>,
}

impl Draw<'_> {
    pub(super) fn run_asked(&mut self, asked: &DrawQuestion<'_>) -> Result<Raw, InspectError> {
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
        let result = self.within(|gl, here, copies, account| {
            let result = answer(gl, here, copies, (asked, shape.as_ref()), account);
            isolated = std::mem::take(&mut account.isolated);
            result
        });
        (self.shape, self.isolated) = (shape, isolated);
        result
    }

    /// Returns the time of the draw by itself: with the recorded program, to a separate framebuffer.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn alone(&mut self) -> Result<Duration, InspectError> {
        self.within(|gl, here, _, account| {
            let start = gl.player.time();
            prepare(gl, here);
            set_up_targets(gl, here, (Transport::Bytes, Stage::Fragment), None, account)?;
            effects::divert(gl, &here.view, here.calls.work)?;
            account.cost.set_up = gl.player.time().saturating_sub(start);
            draw(gl, here, How::default(), &mut account.cost)?;
            Ok(account.cost.draw)
        })
    }

    /// Runs a function in the context of the draw, and restores all state, also when it fails.
    fn within<T>(
        &mut self,
        work: impl FnOnce(&mut UndoRecorder<'_>, &Here<'_>, &mut Copies, &mut Account) -> Result<T, InspectError>,
    ) -> Result<T, InspectError> {
        let Draw { timeline, calls, changes, cost, notes, stages, target, model, capabilities, singles, .. } = self;
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
        let mut gl = UndoRecorder::new(player, capabilities);
        if capabilities.has(43, 32, &["GL_KHR_debug"]) {
            // Errors of the diversion are not the program's.
            gl.disable(c::GL_DEBUG_OUTPUT);
        }
        let copies = copies.entry(here.view.seat.context).or_default();
        let result = work(&mut gl, &here, copies, &mut account);
        let start = gl.player.time();
        gl.undo();
        while player.take_error() != 0 {}
        if held {
            let_program_go(player, view.seat.context).map_err(wrong)?;
        }
        account.cost.set_back = player.time().saturating_sub(start);
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
    gl: &mut UndoRecorder<'_>,
    here: &Here<'_>,
    copies: &mut Copies,
    (asked, shape): (&DrawQuestion<'_>, Option<&Result<Shape, String>>),
    account: &mut Account,
) -> Result<Raw, InspectError> {
    let DrawQuestion { variant, stage, scope, run } = *asked;
    if let Transport::Memory(_) = variant.transport {
        return Err(failed("the values of invocations cannot be read from a driver this way"));
    }
    let start = gl.player.time();
    prepare(gl, here);
    if let Transport::Feedback(_) = variant.transport {
        feedback::bind(gl);
    }
    let (copy, build) = copies.get(gl, &here.view, here.stages, (stage, variant))?;
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
        Some(size) => grid::set_up(gl, size, account)?,
        None => set_up_targets(gl, here, (variant.transport, stage), only, account)?,
    }
    effects::divert(gl, &here.view, here.calls.work)?;
    let facts = here.stages.iter().find(|facts| facts.stage == stage);
    let recorded = facts.and_then(|facts| facts.recorded(&here.view));
    let recorded = recorded.ok_or_else(|| failed("there is no program"))?;
    copy.install(gl, &here.view, (recorded, here.changes))?;
    if let Some(whole) = facts.and_then(|facts| facts.whole.as_ref()) {
        stand_in::prepare(whole, gl, copy);
        account.notes.extend(open_trace::notes(here.stages));
    }
    changes::give_attributes(here.changes, gl, copy.program)?;
    changes::give_textures(here.changes, gl, copy.program, recorded)?;
    give_controls(gl, copy, variant, run);
    let mut how = How::default();
    if let Some(attribute) = &variant.controls.vertex {
        how.numbers = numbers::give(gl, here, copy, attribute)?;
    }
    if let Some(size) = grid {
        account.cost.set_up = gl.player.time().saturating_sub(start);
        return grid::answer(gl, here, (copy, variant, how), size, account);
    }
    match variant.transport {
        Transport::Storage => {
            let block = Block::bind(gl, here, copy, variant, run)?;
            account.cost.set_up = gl.player.time().saturating_sub(start);
            // The time of a list of runs is not reported either, and waiting would be most of it.
            let untimed = here.changes.untimed || here.changes.listing.is_some();
            let wait = if untimed { Wait::No } else { Wait::Yes };
            draw_and(wait, gl, here, how, &mut account.cost)?;
            let start = gl.player.time();
            let words = block.read(gl, scope)?;
            account.cost.read = gl.player.time().saturating_sub(start);
            Ok(Raw::Block(words))
        }
        Transport::Feedback(words) => {
            account.cost.set_up = gl.player.time().saturating_sub(start);
            feedback::capture(gl, here, (stage, words, how), &mut account.cost).map(Raw::List)
        }
        transport => {
            account.cost.set_up = gl.player.time().saturating_sub(start);
            if let (Some(isolate), Some(shape), Some(listed)) = (&here.changes.isolate, shape, here.changes.listing) {
                let listed = within(listed, here.target.size);
                let (isolated, rows) =
                    isolate::answer(gl, here, (isolate, shape), (transport, listed, upper), account)?;
                account.isolated = isolated;
                return Ok(Raw::List(rows));
            }
            let share = here.changes.layer.map(|layer| layer.share).filter(|[_, shares]| *shares > 1);
            match (share, shape) {
                (Some(share), Some(shape)) => isolate::draw_share(gl, here, shape, share)?,
                _ => draw(gl, here, how, &mut account.cost)?,
            }
            let start = gl.player.time();
            let layer = here.changes.layer.map(|layer| within(layer.rectangle, here.target.size));
            let listed = here.changes.listing.or(layer).unwrap_or([0, 0, width, height]);
            let rectangle = only.map_or(listed, |[x, y]| [x, y, 1, 1]);
            let mut words = targets::read(gl, transport, rectangle);
            account.cost.read = gl.player.time().saturating_sub(start);
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

/// Disables state that would affect, or observe, what is drawn, until the undo.
fn prepare(gl: &mut UndoRecorder<'_>, here: &Here<'_>) {
    let context = here.view.context;
    if let Some((query, mode)) = context.active_queries.condition {
        let real = gl.player.world.real_name(Namespace::Query, query);
        gl.call_on_undo(id::glBeginConditionalRender, &[u64::from(real), u64::from(mode)]);
        gl.call(id::glEndConditionalRender, &[]);
    }
    let feedback = context.transform_feedbacks.get(&context.transform_feedback);
    if feedback.is_some_and(|feedback| feedback.mode.is_some() && !feedback.paused) {
        gl.call_on_undo(id::glResumeTransformFeedback, &[]);
        gl.call(id::glPauseTransformFeedback, &[]);
    }
    issue::keep_current(gl, here.calls);
}

/// Sets up the targets: the diversion's own framebuffer for fragments, none for other stages.
fn set_up_targets(
    gl: &mut UndoRecorder<'_>,
    here: &Here<'_>,
    (transport, stage): (Transport, Stage),
    only: Option<[u32; 2]>,
    account: &mut Account,
) -> Result<(), InspectError> {
    if here.calls.work == WorkKind::Dispatch {
        return Ok(());
    }
    if stage != Stage::Fragment && !targets::outputs(transport) {
        gl.enable(c::GL_RASTERIZER_DISCARD);
        return Ok(());
    }
    let scissor = Scissor::keep(gl);
    let (listing, layer) = (here.changes.listing, here.changes.layer.filter(|_| targets::outputs(transport)));
    let tests = if listing.is_some() || layer.is_some() { Tests::Off } else { here.changes.tests };
    let early = here.stages.iter().any(|facts| facts.shader.typed.stage.early_fragment_tests);
    // Without tests nothing needs to be there; a block of storage is all that fragments write to.
    let bare = match here.changes.listing {
        Some(_) => targets::need_nothing(gl, here.target),
        None => !early && targets::can_be_bare(gl, here.target),
    };
    let isolates = here.changes.isolate.is_some() && listing.is_some() && targets::outputs(transport);
    let ordinal = layer.map(|layer| layer.ordinal).or(isolates.then_some(0));
    // Derivatives are those of 2x2 pixels, so these are drawn (GLSL 4.60, 8.14.1 leaves the rest to drivers).
    let quad = only.map(|[x, y]| [x & !1, y & !1, 2, 2].map(u32::cast_signed));
    let listed = listing.map(|rectangle| rectangle.map(u32::cast_signed));
    let quad = quad.or(layer.map(|layer| layer.rectangle.map(u32::cast_signed)));
    let drawn = (tests, &scissor, quad.or(listed));
    account.notes.extend(targets::divert(gl, here.target, transport, drawn, (bare, ordinal))?);
    match listed {
        Some(rectangle) => {
            scissor.only(gl, rectangle);
            let culls = here.changes.isolate.as_ref().is_some_and(|isolate| isolate.culls);
            if !culls {
                gl.disable(c::GL_CULL_FACE);
            }
            if !culls && gl.capabilities.compatibility {
                gl.disable(c::GL_POLYGON_STIPPLE);
            }
        }
        None => scissor.close(gl, quad),
    }
    Ok(())
}

fn give_controls(gl: &mut UndoRecorder<'_>, copy: Copy, variant: &Variant, run: Run) {
    let controls = &variant.controls;
    let one = if copy.pipeline.is_some() { id::glProgramUniform1i } else { id::glUniform1i };
    let four = if copy.pipeline.is_some() { id::glProgramUniform4i } else { id::glUniform4i };
    let give = |gl: &mut UndoRecorder<'_>, name: &str, command, values: &[i32]| {
        let place = copy.location(gl, name.as_bytes());
        if name.is_empty() || place < 0 {
            return;
        }
        let mut words = Vec::new();
        if copy.pipeline.is_some() {
            words.push(u64::from(copy.program));
        }
        words.push(word(place));
        words.extend(values.iter().map(|value| word(*value)));
        gl.call(command, &words);
    };
    give(gl, &controls.on, one, &[i32::from(run.on)]);
    give(gl, &controls.pick, four, &run.pick);
    give(gl, &controls.base, one, &[run.base.cast_signed()]);
    give(gl, &controls.regions, one, &[run.room[1].cast_signed()]);
}

/// Whether to wait for the draw, to measure its time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Yes,
    No,
}

/// Differences of a draw from the recording.
#[derive(Clone, Copy, Default)]
pub struct How {
    /// Primitives are of this kind.
    pub mode: Option<u32>,
    /// Vertices that are given one by one have their numbers in this attribute.
    pub numbers: Option<u32>,
}

/// Draws, and waits until that is done.
pub fn draw(gl: &mut UndoRecorder<'_>, here: &Here<'_>, how: How, cost: &mut Cost) -> Result<(), InspectError> {
    draw_and(Wait::Yes, gl, here, how, cost)
}

fn draw_and(
    wait: Wait,
    gl: &mut UndoRecorder<'_>,
    here: &Here<'_>,
    how: How,
    cost: &mut Cost,
) -> Result<(), InspectError> {
    if wait == Wait::Yes {
        gl.player.finish();
    }
    while gl.player.take_error() != 0 {}
    let start = gl.player.time();
    let condition = here.view.context.active_queries.condition;
    if let Some((query, mode)) = condition {
        let real = gl.player.world.real_name(Namespace::Query, query);
        gl.call(id::glBeginConditionalRender, &[u64::from(real), u64::from(mode)]);
    }
    let issued = match (how.numbers, here.singles) {
        (Some(attribute), Some(singles)) => single::issue(gl, here.reader, singles, (attribute, how.mode)),
        _ => issue::issue(gl, here.reader, here.calls, how.mode),
    };
    if condition.is_some() {
        gl.call(id::glEndConditionalRender, &[]);
    }
    issued?;
    if wait == Wait::No && !here.calls.about().has(Trait::FromArrays) {
        // Mesa collects vertices of immediate mode, and neither a barrier nor mapping a buffer makes it draw them.
        gl.player.flush();
    }
    gl.barrier();
    if wait == Wait::Yes {
        gl.player.finish();
    }
    cost.draw = gl.player.time().saturating_sub(start);
    match gl.player.take_error() {
        0 => Ok(()),
        // Another variant may do.
        error => Err(InspectError::Rejected {
            log: format!("the driver refuses to draw (error {error:#06x}{})", why(gl, here, how)),
            source_text: String::new(),
        }),
    }
}

/// Draws once more, and returns what the driver's debug output says of it.
fn why(gl: &mut UndoRecorder<'_>, here: &Here<'_>, how: How) -> String {
    if !gl.capabilities.has(43, 32, &["GL_KHR_debug"]) {
        return String::new();
    }
    gl.enable(c::GL_DEBUG_OUTPUT);
    gl.enable(c::GL_DEBUG_OUTPUT_SYNCHRONOUS);
    let _ = issue::issue(gl, here.reader, here.calls, how.mode);
    let said = gl.player.debug_messages().pop().map_or(String::new(), |last| format!(": {last}"));
    while gl.player.take_error() != 0 {}
    said
}

/// The storage block of a variant.
struct Block {
    buffer: u32,
    /// Words of each region, and the number of regions.
    room: [u32; 2],
}

impl Block {
    /// Binds a block where nothing else of the program is.
    fn bind(
        gl: &mut UndoRecorder<'_>,
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
        gl.keep_buffer(c::GL_SHADER_STORAGE_BUFFER, c::GL_SHADER_STORAGE_BUFFER_BINDING);
        let buffer = gl.generate(id::glGenBuffers);
        gl.delete_on_undo(id::glDeleteBuffers, buffer);
        let mut zeros = vec![0; words as usize * 4];
        zeros[4..8].copy_from_slice(&run.room[0].to_ne_bytes());
        gl.call(id::glBindBuffer, &[target, u64::from(buffer)]);
        gl.player.set_buffer_data(target, &zeros, c::GL_DYNAMIC_READ);
        // A block that the compiler found no use for has nothing to say.
        if let Some(index) = copy.storage_block(gl, variant.controls.block.as_bytes()) {
            let binding = Self::binding(gl, here, copy, index)?;
            Range::STORAGE.keep(gl, binding);
            gl.call(id::glBindBufferBase, &[target, u64::from(binding), u64::from(buffer)]);
        }
        Ok(Block { buffer, room: run.room })
    }

    fn binding(gl: &mut UndoRecorder<'_>, here: &Here<'_>, copy: Copy, index: u32) -> Result<u32, InspectError> {
        let bindings = copy.storage_bindings(gl);
        let others = bindings.iter().enumerate().filter(|(at, _)| *at != index as usize).map(|(_, binding)| *binding);
        let running = here.stages.iter().filter_map(|facts| here.view.group.program(facts.program));
        let used: Vec<u32> =
            others.chain(running.flat_map(|program| program.bindings.storage.iter().copied())).collect();
        let given = bindings.get(index as usize).copied().unwrap_or(0);
        if !used.contains(&given) {
            return Ok(given);
        }
        let most = gl.integer(c::GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS).max(0).cast_unsigned();
        let free = (0..most).rev().find(|binding| !used.contains(binding)).filter(|_| gl.capabilities.desktop);
        let free = free.ok_or_else(|| InspectError::Rejected {
            log: "the program leaves no binding free for a storage block".to_owned(),
            source_text: String::new(),
        })?;
        gl.call(id::glShaderStorageBlockBinding, &[copy.program, index, free].map(u64::from));
        Ok(free)
    }

    /// Reads the header and the regions that were answered in. Most blocks are nearly empty: how many invocations answer
    /// is often unknown before. Where fragments share the regions of blocks of the target, they are not counted.
    fn read(&self, gl: &mut UndoRecorder<'_>, scope: Scope) -> Result<Vec<u32>, InspectError> {
        let target = c::GL_SHADER_STORAGE_BUFFER;
        gl.call(id::glBindBuffer, &[u64::from(target), u64::from(self.buffer)]);
        let [room, regions] = self.room;
        let answered = match scope {
            Scope::Blocks => regions,
            Scope::One | Scope::All | Scope::At => {
                let header = read_buffer(gl, target, u64::from(BLOCK_HEADER))?;
                header.first().map_or(regions, |count| regions.min(*count))
            }
        };
        read_buffer(gl, target, u64::from(BLOCK_HEADER) + u64::from(room) * u64::from(answered))
    }
}

/// Words of the buffer that is bound to a target.
pub fn read_buffer(gl: &mut UndoRecorder<'_>, target: u32, words: u64) -> Result<Vec<u32>, InspectError> {
    if words == 0 {
        return Ok(Vec::new());
    }
    let (target, size) = (u64::from(target), words * 4);
    let map = gl.call(id::glMapBufferRange, &[target, 0, size, u64::from(c::GL_MAP_READ_BIT)]);
    if map == 0 {
        return Err(failed("the driver does not show what was written"));
    }
    let bytes = gl.player.world.gl.read_map(MapHandle(map), 0, size as usize).unwrap_or_default();
    gl.call(id::glUnmapBuffer, &[target]);
    Ok(bytes.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap_or_default())).collect())
}
