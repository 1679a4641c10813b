//! The primitives of a draw that cover some pixels, found by halves.
//!
//! Values that come out as colours are those of the fragment that is drawn last. Where all are wanted, one primitive is
//! drawn at a time, and to know which are worth it, parts of the draw are drawn to the pixels alone: a part that no
//! fragment comes of is left out with all that it has, another is split (Sharif and Lee, Total Recall, 4.5). An occlusion
//! query tells whether there are fragments or, where there is none to be had, what is found in the pixels.
//!
//! Shaders may know the numbers of primitives and instances, which GL gives anew in every call. Then all parts begin with
//! the first, and stencil values, counted down for what comes before, tell what is part of it.

mod parts;
mod pieces;
mod shape;

use std::time::Instant;

use api::{Namespace, constant as c, id};
use device::{Isolate, Isolated, PrimitiveRange, Rectangle};
use instrument::{InspectError, Transport};
use shader::version::Stage;
use state::objects::vertex_array::Attrib;
use state::{View, variable as var};

use super::changes::failed;
use super::hand::Hand;
use super::run::{Account, Here};
use super::targets;
use parts::Drawer;
pub use shape::Shape;

/// What users are told where primitives are not told apart.
const UNDIVIDED: &str = "primitives could not all be told apart, so that some fragments have none";
const TOO_MANY: &str = "some primitives that are drawn together have more than 255 fragments at a pixel; those beyond are \
                        left out";

/// Fragments of a part at one pixel that are told apart; more would be the same to a stencil value.
const MOST_LAYERS: u8 = 255;

/// Parts that are tried before the rest is taken as it is.
const MOST_TRIES: u32 = 1 << 16;

/// What a stencil value must be for a fragment to be drawn.
#[derive(Clone, Copy)]
enum Pass {
    /// Anything.
    Any,
    /// One of those that parts which are not drawn from their beginning count from 0 on.
    Own,
    /// So many fragments of the part were there before.
    Number(u8),
    /// Half of what a stencil value can count, or more.
    Many,
}

/// How fragments are counted.
enum Count {
    Query { target: u32, name: u32 },
    Read,
}

/// A search under way.
struct Search<'a, 'h> {
    hand: &'a mut Hand<'h>,
    here: &'a Here<'a>,
    drawer: Drawer<'a>,
    transport: Transport,
    rectangle: Rectangle,
    count: Count,
    tries: u32,
    /// What cannot be divided further.
    found: Vec<PrimitiveRange>,
    divided: bool,
}

/// Finds what covers the rectangle, unless it is known, and reads a window of each. The rows that are given back begin with
/// a pixel, the place of the primitive in the list, and 0.
pub fn answer(
    hand: &mut Hand<'_>,
    here: &Here<'_>,
    (isolate, shape): (&Isolate, &Result<Shape, String>),
    (transport, rectangle, upper): (Transport, Rectangle, bool),
    account: &mut Account,
) -> Result<(Vec<Isolated>, Vec<u32>), InspectError> {
    let start = Instant::now();
    let undivided = Shape { draws: Vec::new(), immediate: false, vendor: "" };
    // In several draws by one call, drivers do not agree on where the numbers of primitives begin.
    let shape = shape.as_ref().ok().filter(|shape| shape.draws.len() < 2 || !exactness(here, shape)[0]);
    let first = exactness(here, shape.unwrap_or(&undivided));
    let drawer = Drawer::new(hand, shape.unwrap_or(&undivided), (here.reader, here.calls), first);
    let count = count(hand, here, isolate.by_reading);
    let mut search = Search {
        hand,
        here,
        drawer,
        transport,
        rectangle,
        count,
        tries: 0,
        found: Vec::new(),
        divided: shape.is_some(),
    };
    let (mut isolated, mut rows) = (Vec::new(), Vec::new());
    while search.hand.player.take_error() != 0 {}
    if isolate.known.is_empty() {
        for part in search.drawer.whole() {
            search.split(part, false)?;
        }
        if shape.is_none() {
            search.found.push(PrimitiveRange::default());
        }
        let mut found = std::mem::take(&mut search.found);
        found.sort_unstable();
        for part in found {
            search.layers(part, (&mut isolated, &mut rows), (upper, account))?;
        }
        if !search.divided {
            account.notes.push(UNDIVIDED);
        }
    } else {
        for one in &isolate.known {
            search.draw(one.part, Pass::Number(one.ordinal))?;
            let words = search.read();
            search.keep(&words, one, upper, (isolated.len(), &mut rows));
            isolated.push(one.clone());
        }
    }
    account.cost.draw = start.elapsed();
    match search.hand.player.take_error() {
        0 => Ok((isolated, rows)),
        error => Err(failed(&format!("the driver refuses to draw parts of the draw (error {error:#06x})"))),
    }
}

/// Draws a share of the primitives: those of all instances, and as many as of others.
pub fn draw_share(
    hand: &mut Hand<'_>,
    here: &Here<'_>,
    shape: &Result<Shape, String>,
    [share, shares]: [u32; 2],
) -> Result<(), InspectError> {
    let shape = shape.as_ref().map_err(|why| failed(why))?;
    let first = exactness(here, shape);
    if first[0] {
        return Err(failed("shaders know the numbers of primitives, so that they cannot be drawn in parts"));
    }
    let drawer = Drawer::new(hand, shape, (here.reader, here.calls), first);
    let total: u64 = shape.draws.iter().map(|one| u64::from(one.primitives)).sum();
    let bound = |share: u32| total * u64::from(share) / u64::from(shares.max(1));
    let (from, to, mut passed) = (bound(share), bound(share + 1), 0);
    while hand.player.take_error() != 0 {}
    for part in drawer.whole() {
        let count = u64::from(part.primitives[1]);
        let within = |at: u64| at.saturating_sub(passed).min(count) as u32;
        drawer.draw(hand, PrimitiveRange { primitives: [within(from), within(to)], ..part })?;
        passed += count;
    }
    match hand.player.take_error() {
        0 => Ok(()),
        error => Err(failed(&format!("the driver refuses to draw parts of the draw (error {error:#06x})"))),
    }
}

/// Whether parts have to begin with the first primitive, and with the first instance.
fn exactness(here: &Here<'_>, shape: &Shape) -> [bool; 2] {
    let mentions = |name: &str| {
        here.stages.iter().any(|facts| {
            let shader = &facts.shader.preprocessed;
            let symbol = shader.symbols.find(name);
            symbol.is_some_and(|symbol| shader.tokens.iter().any(|token| token.symbol == symbol))
        })
    };
    let between = here.stages.iter().any(|facts| !matches!(facts.stage, Stage::Vertex | Stage::Fragment));
    let vars = &here.view.context.vars;
    let strip = shape.draws.iter().any(|one| one.assembly.mode == c::GL_TRIANGLE_STRIP);
    // A triangle without an area is seen where only its edges are drawn.
    let outlined = strip && vars.name(var::POLYGON_MODE) != c::GL_FILL;
    let stippled = vars.get(var::LINE_STIPPLE) != 0.0;
    let numbered = between || mentions("gl_PrimitiveID");
    let based = here.view.context.facts.meets(&api::when::both(42, 0).or(&["GL_ARB_base_instance"]));
    let instanced = mentions("gl_InstanceID") || mentions("gl_BaseInstanceARB") || mentions("gl_BaseInstance");
    [numbered || outlined || stippled, instanced || !based || shares_elements(&here.view)]
}

/// Whether several instances share an element of an array. Elements are counted from the first instance of a call, to
/// which the base is added only then (GL 4.6, 10.3.4), so that a base stands for a beginning only where each instance has
/// its own.
fn shares_elements(view: &View<'_>) -> bool {
    let Some(array) = view.context.vertex_arrays.get(&view.context.vertex_array) else { return false };
    let binding = |attrib: &Attrib| array.bindings.get(usize::from(attrib.binding));
    array.attribs.iter().any(|attrib| attrib.enabled && binding(attrib).is_some_and(|binding| binding.divisor > 1))
}

/// A query of the diversion's own, if no other is in its way.
fn count(hand: &mut Hand<'_>, here: &Here<'_>, by_reading: bool) -> Count {
    let occlusion = [c::GL_SAMPLES_PASSED, c::GL_ANY_SAMPLES_PASSED, c::GL_ANY_SAMPLES_PASSED_CONSERVATIVE];
    let taken = here.view.context.active_queries.active.iter().any(|(target, ..)| occlusion.contains(target));
    if by_reading || taken || !hand.can.has(15, 30, &[]) {
        return Count::Read;
    }
    let name = hand.generate(id::glGenQueries);
    hand.delete_later(id::glDeleteQueries, name);
    let target = if hand.can.desktop { c::GL_SAMPLES_PASSED } else { c::GL_ANY_SAMPLES_PASSED };
    Count::Query { target, name }
}

impl Search<'_, '_> {
    /// Finds what of a part covers the pixels, and cannot be divided; whether there is any may be known already.
    fn split(&mut self, part: PrimitiveRange, known: bool) -> Result<bool, InspectError> {
        if !known && !self.any(part)? {
            return Ok(false);
        }
        let ([first, end], [from, to]) = (part.instances, part.primitives);
        if part.size() == 1 {
            self.found.push(part);
            return Ok(true);
        }
        // Where parts begin with the first primitive, those of several instances lie between each other, so that there
        // must be one instance before there are fewer primitives.
        let primitives = to - from > 1 && (!self.drawer.from_first || end - first == 1);
        let counted = if primitives { self.drawer.from_first } else { self.drawer.from_first_instance };
        if self.tries >= MOST_TRIES || counted && self.is_deep(part)? {
            self.divided = false;
            self.found.push(part);
            return Ok(true);
        }
        let [low, high] = if primitives {
            let middle = from + (to - from) / 2;
            [[from, middle], [middle, to]].map(|primitives| PrimitiveRange { primitives, ..part })
        } else {
            let middle = first + (end - first) / 2;
            [[first, middle], [middle, end]].map(|instances| PrimitiveRange { instances, ..part })
        };
        let some = self.split(low, false)?;
        self.split(high, !some)?;
        Ok(true)
    }

    /// Whether more fragments of a part, and of what is drawn before it for its sake, lie at a pixel than can be counted
    /// up and down.
    fn is_deep(&mut self, part: PrimitiveRange) -> Result<bool, InspectError> {
        let (drawn, _) = self.drawer.around(part);
        self.drawn((drawn, &[]), Pass::Many, true)
    }

    /// Whether a part has fragments at the pixels.
    fn any(&mut self, part: PrimitiveRange) -> Result<bool, InspectError> {
        self.tries += 1;
        let (drawn, before) = self.drawer.around(part);
        self.drawn((drawn, &before), if before.is_empty() { Pass::Any } else { Pass::Own }, true)
    }

    /// Draws a part, with whatever must be drawn before it.
    fn draw(&mut self, part: PrimitiveRange, pass: Pass) -> Result<(), InspectError> {
        let (drawn, before) = self.drawer.around(part);
        self.drawn((drawn, &before), pass, false).map(|_| ())
    }

    /// Draws, and says whether anything passed, if that is asked.
    fn drawn(
        &mut self,
        (part, before): (PrimitiveRange, &[(bool, PrimitiveRange)]),
        pass: Pass,
        asked: bool,
    ) -> Result<bool, InspectError> {
        self.hand.call(id::glClear, &[u64::from(c::GL_STENCIL_BUFFER_BIT)]);
        if !before.is_empty() {
            self.mask(false);
            for (down, part) in before {
                self.stencil([c::GL_ALWAYS, 0, 0xFF], if *down { c::GL_DECR_WRAP } else { c::GL_INCR_WRAP });
                self.issue(*part)?;
            }
            self.mask(true);
        }
        let (test, operation) = match pass {
            Pass::Any => ([c::GL_ALWAYS, 0, 0xFF], c::GL_INCR_WRAP),
            Pass::Own => ([c::GL_EQUAL, 0, 0x80], c::GL_INCR_WRAP),
            Pass::Number(number) => ([c::GL_EQUAL, u32::from(number), 0xFF], c::GL_INCR_WRAP),
            Pass::Many => ([c::GL_EQUAL, 0x80, 0x80], c::GL_INCR),
        };
        self.stencil(test, operation);
        if !asked {
            targets::clear_colours(self.hand, self.transport);
            self.issue(part)?;
            return Ok(true);
        }
        match self.count {
            Count::Query { target, name } => {
                self.hand.call(id::glBeginQuery, &[u64::from(target), u64::from(name)]);
                let issued = self.issue(part);
                self.hand.call(id::glEndQuery, &[u64::from(target)]);
                issued?;
                let mut result = [0u32; 4];
                let words = [u64::from(name), u64::from(c::GL_QUERY_RESULT), result.as_mut_ptr() as u64];
                self.hand.call(id::glGetQueryObjectuiv, &words);
                Ok(result[0] != 0)
            }
            Count::Read => {
                targets::clear_colours(self.hand, self.transport);
                self.issue(part)?;
                let window = self.window();
                Ok(self.read().chunks_exact(window).any(|words| words[0] != 0))
            }
        }
    }

    fn issue(&mut self, part: PrimitiveRange) -> Result<(), InspectError> {
        let condition = self.here.view.context.active_queries.condition;
        if let Some((query, mode)) = condition {
            let real = self.hand.player.world.real_name(Namespace::Query, query);
            self.hand.call(id::glBeginConditionalRender, &[u64::from(real), u64::from(mode)]);
        }
        let issued = if self.drawer.shape.draws.is_empty() {
            super::issue::issue(self.hand, self.here.reader, self.here.calls, None)
        } else {
            self.drawer.draw(self.hand, part)
        };
        if condition.is_some() {
            self.hand.call(id::glEndConditionalRender, &[]);
        }
        issued
    }

    fn mask(&mut self, on: bool) {
        self.hand.call(id::glColorMask, &[u64::from(on); 4]);
    }

    fn stencil(&mut self, [function, reference, mask]: [u32; 3], operation: u32) {
        let operation = u64::from(operation);
        self.hand.call(id::glStencilFunc, &[function, reference, mask].map(u64::from));
        self.hand.call(id::glStencilOp, &[operation; 3]);
    }

    fn window(&self) -> usize {
        self.transport.window().unwrap_or(1).max(1) as usize
    }

    /// The words of the pixels' windows, from the lowest row up.
    fn read(&mut self) -> Vec<u32> {
        targets::read(self.hand, self.transport, self.rectangle)
    }

    /// Reads all fragments of a part, one of each pixel at a time.
    fn layers(
        &mut self,
        part: PrimitiveRange,
        (isolated, rows): (&mut Vec<Isolated>, &mut Vec<u32>),
        (upper, account): (bool, &mut Account),
    ) -> Result<(), InspectError> {
        for ordinal in 0..MOST_LAYERS {
            self.draw(part, Pass::Number(ordinal))?;
            let words = self.read();
            let [x, y, width, _] = self.rectangle;
            let places = (0..).zip(words.chunks_exact(self.window())).filter(|(_, words)| words[0] != 0);
            let pixel = |(place, _): (u32, _)| [x + place % width, self.row(y + place / width, upper)];
            let pixels: Vec<[u32; 2]> = places.map(pixel).collect();
            if pixels.is_empty() {
                return Ok(());
            }
            let one = Isolated { part, ordinal, primitive: self.number(part), pixels };
            self.keep(&words, &one, upper, (isolated.len(), rows));
            isolated.push(one);
            if self.is_single(part) {
                return Ok(());
            }
        }
        account.notes.push(TOO_MANY);
        Ok(())
    }

    /// The number of a primitive in its instance.
    fn number(&self, part: PrimitiveRange) -> Option<u32> {
        let earlier = self.drawer.shape.draws.get(..part.draw as usize)?;
        let [from, _] = part.primitives;
        (part.size() == 1).then(|| earlier.iter().map(|one| one.primitives).sum::<u32>() + from)
    }

    /// Whether a part has one fragment at a pixel at most.
    fn is_single(&self, part: PrimitiveRange) -> bool {
        let mode = self.drawer.shape.draws.get(part.draw as usize).map_or(c::GL_POLYGON, |one| one.assembly.mode);
        // Quadrilaterals and polygons may lie over themselves.
        let simple = !matches!(mode, c::GL_QUADS | c::GL_QUAD_STRIP | c::GL_POLYGON | c::GL_PATCHES);
        let filled = self.here.view.context.vars.name(var::POLYGON_MODE) == c::GL_FILL || !self.hand.can.desktop;
        let between = self.here.stages.iter().any(|facts| !matches!(facts.stage, Stage::Vertex | Stage::Fragment));
        part.size() == 1 && simple && filled && !between
    }

    /// A row of pixels as the shader counts.
    fn row(&self, row: u32, upper: bool) -> u32 {
        if upper { self.here.target.size[1] - 1 - row } else { row }
    }

    /// Adds the windows of pixels to rows.
    fn keep(&self, words: &[u32], one: &Isolated, upper: bool, (number, rows): (usize, &mut Vec<u32>)) {
        let ([left, bottom, width, _], window) = (self.rectangle, self.window());
        for &[x, y] in &one.pixels {
            let place = ((self.row(y, upper) - bottom) * width + x - left) as usize;
            rows.extend([x, y, number as u32, 0]);
            rows.extend(&words[place * window..(place + 1) * window]);
        }
    }
}
