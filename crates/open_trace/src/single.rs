//! Splits draws whose vertices are specified one by one, between `glBegin` and `glEnd` or in display lists, into calls of
//! at most one vertex each.

use api::{Command, CommandId, Role, Scalar, Trait, constant as c, id};
use state::objects::vertex_array::{GENERIC, POSITION};
use state::{View, variable as var};
use trace::{Call, Reader};

use crate::draw::DrawCalls;
use crate::repeat::{MAX_LIST_NESTING, called_lists, each_draw_call};

/// Calls that a draw is split into at most: lists that call each other make many of few.
const MOST_SINGLES: usize = 1 << 22;

/// A call of at most one vertex.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Single {
    /// The call.
    pub what: SingleCall,
    /// What it makes.
    pub makes: Makes,
}

/// What a call between the first and the last of a draw makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Makes {
    /// No vertex: it sets state that later vertices have.
    State,
    /// It begins primitives of a kind.
    Primitives(u32),
    /// A vertex.
    Vertex,
}

/// Where a call comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SingleCall {
    /// One of the trace, by its number.
    Recorded(u64),
    /// A part of one that makes several.
    Own(CommandId, [u64; 2]),
}

/// Splits the calls of a draw; returns `None` when vertices come from arrays, their number is not known, or there are too
/// many.
#[must_use]
pub fn split_into_singles(view: &View<'_>, calls: &DrawCalls, reader: &Reader) -> Option<Vec<Single>> {
    let about = calls.about();
    let given = calls.command == id::glEnd || about.has(Trait::CallsLists) || about.has(Trait::Evaluates);
    if !given && !RECTANGLES.contains(&calls.command) {
        return None;
    }
    let mut taken = Taken { view, reader, singles: Vec::new(), begun: false, left: MOST_SINGLES };
    let all = each_draw_call(reader, calls, &mut |call| taken.take(call, 0).ok_or_else(String::new));
    all.ok().map(|()| taken.singles)
}

/// Returns the number of vertices of calls.
#[must_use]
pub fn count_vertices(singles: &[Single]) -> usize {
    singles.iter().filter(|single| single.makes == Makes::Vertex).count()
}

/// Commands that draw a rectangle.
const RECTANGLES: [CommandId; 8] =
    [id::glRectd, id::glRectdv, id::glRectf, id::glRectfv, id::glRecti, id::glRectiv, id::glRects, id::glRectsv];

/// Calls that are being taken apart.
struct Taken<'a> {
    view: &'a View<'a>,
    reader: &'a Reader,
    singles: Vec<Single>,
    /// Whether a primitive is begun.
    begun: bool,
    /// How many more calls it may be split into.
    left: usize,
}

impl Taken<'_> {
    /// Adds a call at this depth of display lists. Returns `None` when its number of vertices is not known.
    fn take(&mut self, call: &Call<'_>, depth: usize) -> Option<()> {
        let argument = |at: usize| call.args.get(at).map_or(0, |word| *word as u32);
        let command = call.command?;
        self.left = self.left.checked_sub(1)?;
        let about = api::command(command);
        let vertex = match command {
            id::glBegin => {
                self.begun = true;
                let makes = Makes::Primitives(argument(0));
                self.singles.push(Single { what: SingleCall::Recorded(call.number), makes });
                return Some(());
            }
            id::glEnd => {
                self.begun = false;
                false
            }
            id::glCallList => return self.list(argument(0), depth),
            id::glCallLists => {
                let names = called_lists(self.view, call, self.reader).ok()?;
                return names.into_iter().try_for_each(|name| self.list(name, depth));
            }
            id::glEvalMesh1 => return self.mesh1(argument(0), [argument(1), argument(2)].map(u32::cast_signed)),
            id::glEvalMesh2 => return self.mesh2(argument(0), [1, 2, 3, 4].map(|at| argument(at).cast_signed())),
            _ if RECTANGLES.contains(&command) => return self.rectangle(call, about),
            // Lists have the elements as they were when the lists were made.
            id::glArrayElement | id::glArrayElementEXT if depth == 0 => self.has_positions(),
            id::glArrayElement | id::glArrayElementEXT => return None,
            _ if about.role == Role::Draw => return None,
            id::glEvalCoord1d
            | id::glEvalCoord1dv
            | id::glEvalCoord1f
            | id::glEvalCoord1fv
            | id::glEvalCoord1xOES
            | id::glEvalCoord1xvOES
            | id::glEvalPoint1 => self.has(var::MAP1_VERTEX_3, var::MAP1_VERTEX_4),
            id::glEvalCoord2d
            | id::glEvalCoord2dv
            | id::glEvalCoord2f
            | id::glEvalCoord2fv
            | id::glEvalCoord2xOES
            | id::glEvalCoord2xvOES
            | id::glEvalPoint2 => self.has(var::MAP2_VERTEX_3, var::MAP2_VERTEX_4),
            _ => self.begun && about.makes_vertex(call.args),
        };
        let makes = if vertex { Makes::Vertex } else { Makes::State };
        self.singles.push(Single { what: SingleCall::Recorded(call.number), makes });
        Some(())
    }

    fn list(&mut self, name: u32, depth: usize) -> Option<()> {
        let Some(list) = self.view.group.lists.get(&name).filter(|_| depth < MAX_LIST_NESTING) else { return Some(()) };
        for stored in &list.calls {
            let held = self.reader.call_at(stored.number).ok()?;
            self.take(&held.call(), depth + 1)?;
        }
        Some(())
    }

    fn has(&self, one: var::Var, other: var::Var) -> bool {
        let vars = &self.view.context.vars;
        vars.get(one) != 0.0 || vars.get(other) != 0.0
    }

    /// Whether an array has positions.
    fn has_positions(&self) -> bool {
        let array = self.view.context.vertex_arrays.get(&self.view.context.vertex_array);
        array.is_some_and(|array| array.attribs[POSITION].enabled || array.attribs[GENERIC].enabled)
    }

    fn own(&mut self, command: CommandId, args: [u64; 2]) {
        let makes = match command {
            id::glBegin => Makes::Primitives(args[0] as u32),
            id::glEnd => Makes::State,
            _ => Makes::Vertex,
        };
        self.left = self.left.saturating_sub(1);
        self.singles.push(Single { what: SingleCall::Own(command, args), makes });
    }

    /// Vertices at places, all of one primitive.
    fn primitive(&mut self, mode: u32, command: CommandId, places: impl IntoIterator<Item = [f32; 2]>) {
        self.own(id::glBegin, [u64::from(mode), 0]);
        for place in places {
            self.own(command, place.map(|number| u64::from(number.to_bits())));
        }
        self.own(id::glEnd, [0; 2]);
    }

    /// The lines of a grid from one number to another, as Mesa comes to them: each is a step from the one before, where
    /// the specification multiplies (GL 4.6 compatibility, 21.1).
    fn lines(&self, [domain, segments]: [var::Var; 2], axis: usize, [from, to]: [i32; 2]) -> Vec<f32> {
        let vars = &self.view.context.vars;
        let (ends, segments) = (&vars.value(domain, 0)[2 * axis..], vars.value(segments, 0)[axis]);
        let (low, high) = (ends[0] as f32, ends[1] as f32);
        let step = (high - low) / segments as f32;
        let first = low + from as f32 * step;
        (from..=to).scan(first, |next, _| Some(std::mem::replace(next, *next + step))).collect()
    }

    /// Returns `None` when a grid has more points than there may be calls.
    fn grid(&self, ranges: &[[i32; 2]]) -> Option<()> {
        let points = ranges.iter().map(|[from, to]| (i64::from(*to) - i64::from(*from) + 1).max(0).cast_unsigned());
        // Lines go through each point twice, and so do strips.
        let calls = points.fold(2, u64::saturating_mul);
        (calls <= self.left as u64).then_some(())
    }

    fn mesh1(&mut self, mode: u32, range: [i32; 2]) -> Option<()> {
        self.grid(&[range])?;
        if self.has(var::MAP1_VERTEX_3, var::MAP1_VERTEX_4) {
            let places = self.lines([var::MAP1_GRID_DOMAIN, var::MAP1_GRID_SEGMENTS], 0, range);
            let mode = if mode == c::GL_POINT { c::GL_POINTS } else { c::GL_LINE_STRIP };
            self.primitive(mode, id::glEvalCoord1f, places.into_iter().map(|u| [u, 0.0]));
        }
        Some(())
    }

    fn mesh2(&mut self, mode: u32, [left, right, low, high]: [i32; 4]) -> Option<()> {
        self.grid(&[[left, right], [low, high]])?;
        if !self.has(var::MAP2_VERTEX_3, var::MAP2_VERTEX_4) {
            return Some(());
        }
        let grid = [var::MAP2_GRID_DOMAIN, var::MAP2_GRID_SEGMENTS];
        let (columns, rows) = (self.lines(grid, 0, [left, right]), self.lines(grid, 1, [low, high]));
        let across = |row: &f32| columns.iter().map(|u| [*u, *row]).collect::<Vec<_>>();
        match mode {
            c::GL_POINT => self.primitive(c::GL_POINTS, id::glEvalCoord2f, rows.iter().flat_map(across)),
            c::GL_LINE => {
                for row in &rows {
                    self.primitive(c::GL_LINE_STRIP, id::glEvalCoord2f, across(row));
                }
                for column in &columns {
                    self.primitive(c::GL_LINE_STRIP, id::glEvalCoord2f, rows.iter().map(|v| [*column, *v]));
                }
            }
            _ => {
                for pair in rows.windows(2) {
                    let strip = columns.iter().flat_map(|u| [[*u, pair[0]], [*u, pair[1]]]);
                    self.primitive(c::GL_TRIANGLE_STRIP, id::glEvalCoord2f, strip);
                }
            }
        }
        Some(())
    }

    /// Two opposite corners, as arguments or behind two pointers.
    fn rectangle(&mut self, call: &Call<'_>, about: &Command) -> Option<()> {
        let first = about.params.first()?;
        let scalar = first.memory.map_or(first.value.scalar, |memory| memory.element.scalar);
        let number = |bytes: &[u8]| match (scalar, bytes) {
            (Scalar::I16, [a, b, ..]) => Some(f32::from(i16::from_ne_bytes([*a, *b]))),
            (Scalar::I32, [a, b, c, d, ..]) => Some(i32::from_ne_bytes([*a, *b, *c, *d]) as f32),
            (Scalar::F32, [a, b, c, d, ..]) => Some(f32::from_ne_bytes([*a, *b, *c, *d])),
            (Scalar::F64, _) => bytes.first_chunk::<8>().map(|bytes| f64::from_ne_bytes(*bytes) as f32),
            _ => None,
        };
        let mut numbers = Vec::new();
        if first.memory.is_some() {
            for corner in 0..2 {
                let bytes = self.reader.bytes(call.input(corner)?).ok()??;
                let size = bytes.len() / 2;
                numbers.extend(bytes.chunks_exact(size.max(1)).take(2).map(number));
            }
        } else {
            numbers.extend(call.args.iter().map(|word| number(&word.to_ne_bytes())));
        }
        let [Some(left), Some(low), Some(right), Some(high)] = numbers[..] else { return None };
        let corners = [[left, low], [right, low], [right, high], [left, high]];
        self.primitive(c::GL_QUADS, id::glVertex2f, corners);
        Some(())
    }
}
