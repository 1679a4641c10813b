//! What the device recorded of an invocation, as values of variables at moments.

use std::collections::{BTreeMap, HashMap};

use instrument::variant::{Reading, Record, What};
use moment::glsl::Value;
use moment::glsl::value::scalars;
use moment::{Marker, Moment, SiteId};
use shader::Shader;
use shader::ast::{DeclKind, ExprId, ExprKind, NodeId, StmtKind, UnaryOp};
use shader::qualifier::Storage;
use shader::typed::{Target, VarId, VariableKind};
use shader::types::{Scalar, Type, TypeTable};

/// A recording, by moment and variable.
pub struct Tape {
    /// The place of each stop among the records. A moment comes once in a run.
    marks: HashMap<Moment, usize>,
    /// What variables were given, in order.
    writes: BTreeMap<VarId, Vec<Written>>,
    /// How many records there are.
    end: usize,
    /// Whether the end of the run is on it.
    whole: bool,
}

/// Something that a variable was given, or lost.
struct Written {
    /// The place of the record.
    at: usize,
    /// The first scalars of the variable that are written: each with its bits if that is known.
    scalars: Vec<(usize, Option<u64>)>,
}

impl Tape {
    /// Out of the answer to [`instrument::Question::Recording`], or of the beginning of one.
    pub fn new(shader: &Shader, reading: &Reading, whole: bool) -> Tape {
        let mut tape = Tape {
            marks: HashMap::new(),
            writes: BTreeMap::new(),
            end: reading.records.len(),
            whole: whole && reading.lost == 0,
        };
        for (at, record) in reading.records.iter().enumerate() {
            tape.take(shader, at, record);
        }
        tape
    }

    /// What a variable holds where a run is, if that is known in full. At the end of a run, what it was left with.
    pub fn value(&self, types: &TypeTable, ty: Type, id: VarId, at: Option<&Moment>) -> Option<Value> {
        let until = match at {
            Some(moment) => *self.marks.get(moment)?,
            None if self.whole => self.end,
            None => return None,
        };
        let mut held: Vec<Option<u64>> = vec![None; scalars(types, ty).len()];
        for written in self.writes.get(&id)?.iter().take_while(|written| written.at < until) {
            for (place, bits) in &written.scalars {
                if let Some(scalar) = held.get_mut(*place) {
                    *scalar = *bits;
                }
            }
        }
        let scalars: Option<Vec<u64>> = held.into_iter().collect();
        scalars.filter(|scalars| !scalars.is_empty()).map(|scalars| Value { ty, scalars })
    }

    fn take(&mut self, shader: &Shader, at: usize, record: &Record) {
        match (&record.what, &record.value) {
            (What::Marker(marker), _) => {
                if let (true, Some(moment)) = (marker.is_stop(), &record.moment) {
                    self.marks.entry(moment.clone()).or_insert(at);
                }
                match marker {
                    Marker::Statement(id) => self.declared(shader, at, *id),
                    Marker::Enter(call) => self.called(shader, at, *call),
                    _ => {}
                }
            }
            (What::Variable(NodeId::Decl(decl), name), Some(value)) => {
                if let Some(id) = variable(shader, *decl, name) {
                    let all = value.scalars.iter().enumerate().map(|(place, bits)| (place, Some(*bits)));
                    self.writes.entry(id).or_default().push(Written { at, scalars: all.collect() });
                }
            }
            (What::Value(NodeId::Expr(expr)), Some(value)) => self.assigned(shader, at, *expr, value),
            _ => {}
        }
    }

    /// A value that was assigned, or written to an argument.
    fn assigned(&mut self, shader: &Shader, at: usize, expr: ExprId, value: &Value) {
        let (left, step) = match shader.tree.expr(expr).kind {
            ExprKind::Assign(_, left, _) => (left, 0),
            ExprKind::Unary(UnaryOp::PreIncrement | UnaryOp::PreDecrement, left) => (left, 0),
            // What is noted is what was there before.
            ExprKind::Unary(UnaryOp::PostIncrement, left) => (left, 1),
            ExprKind::Unary(UnaryOp::PostDecrement, left) => (left, -1),
            _ => (expr, 0),
        };
        let Some(place) = lvalue(shader, left) else { return };
        let scalar = value.ty.scalar();
        let bits = |place: usize| {
            let bits = value.scalars.get(place).copied()?;
            if step == 0 { Some(bits) } else { Some(stepped(scalar?, bits, step)) }
        };
        let scalars = match place.scalars {
            Some(scalars) => scalars.into_iter().enumerate().map(|(from, to)| (to, bits(from))).collect(),
            // Somewhere in it.
            None => (0..place.size).map(|place| (place, None)).collect(),
        };
        self.writes.entry(place.variable).or_default().push(Written { at, scalars });
    }

    /// Variables that are declared without a value have none, whatever they held when the declaration was last passed.
    fn declared(&mut self, shader: &Shader, at: usize, site: SiteId) {
        let Some(id) = moment::glsl::stmt(site) else { return };
        let StmtKind::Decl(decl) = shader.tree.stmt(id).kind else { return };
        let DeclKind::Variables { declarators, .. } = &shader.tree.decl(decl).kind else { return };
        for declarator in declarators.iter().filter(|declarator| declarator.init.is_none()) {
            let name = shader.preprocessed.symbols.name(declarator.name.symbol);
            if let Some(id) = variable(shader, decl, name) {
                self.forget(shader, at, id);
            }
        }
    }

    /// Parameters that only give something back have nothing when the function begins.
    fn called(&mut self, shader: &Shader, at: usize, site: SiteId) {
        let Some(call) = moment::glsl::expr(site) else { return };
        let (Target::Function(function) | Target::Subroutine(function)) = shader.typed.expr(call).target else {
            return;
        };
        for parameter in &shader.typed.function(function).params {
            if let (Storage::Out, Some(id)) = (parameter.qualifiers.storage, parameter.variable) {
                self.forget(shader, at, id);
            }
        }
    }

    fn forget(&mut self, shader: &Shader, at: usize, id: VarId) {
        let size = scalars(&shader.typed.types, shader.typed.variable(id).ty).len();
        let scalars = (0..size).map(|place| (place, None)).collect();
        self.writes.entry(id).or_default().push(Written { at, scalars });
    }
}

/// A variable by the declaration that it is in, and its name.
fn variable(shader: &Shader, decl: shader::ast::DeclId, name: &str) -> Option<VarId> {
    let tokens = shader.tree.decl(decl).tokens;
    let symbols = &shader.preprocessed.symbols;
    let inside = |row: &shader::typed::Variable| {
        // The name is in the declaration; of functions those of parameters come first.
        row.declared.is_some_and(|token| tokens.first <= token && token <= tokens.last)
            && symbols.name(row.name) == name
    };
    let function = matches!(shader.tree.decl(decl).kind, DeclKind::Function(_));
    let found = shader
        .typed
        .variables
        .iter()
        .position(|row| inside(row) && (!function || matches!(row.kind, VariableKind::Parameter(..))));
    found.map(|index| VarId(index as u32))
}

/// Where an expression writes.
struct WrittenScalars {
    variable: VarId,
    /// Scalars of the whole variable.
    size: usize,
    /// Which scalars, in order; nothing where an index is not constant.
    scalars: Option<Vec<usize>>,
}

fn lvalue(shader: &Shader, expr: ExprId) -> Option<WrittenScalars> {
    let types = &shader.typed.types;
    let facts = shader.typed.expr(expr);
    match shader.tree.expr(expr).kind {
        ExprKind::Paren(inner) => lvalue(shader, inner),
        ExprKind::Name(_) => match facts.target {
            Target::Variable(variable) => {
                let size = scalars(types, shader.typed.variable(variable).ty).len();
                Some(WrittenScalars { variable, size, scalars: Some((0..size).collect()) })
            }
            _ => None,
        },
        ExprKind::Field(base, _) => {
            let place = lvalue(shader, base)?;
            let Some(whole) = place.scalars else { return Some(place) };
            let picked = match facts.target {
                Target::Swizzle(swizzle) => {
                    swizzle.components().iter().map(|at| whole.get(usize::from(*at)).copied()).collect()
                }
                Target::Member(number) => {
                    let structure = types.as_struct(shader.typed.expr(base).ty)?;
                    let size = |ty: Type| scalars(types, ty).len();
                    let fields = &structure.fields;
                    let from: usize = fields.iter().take(number as usize).map(|field| size(field.ty)).sum();
                    let to = from + size(fields.get(number as usize)?.ty);
                    whole.get(from..to).map(<[usize]>::to_vec)
                }
                _ => None,
            };
            Some(WrittenScalars { scalars: picked, ..place })
        }
        ExprKind::Index(base, index) => {
            let place = lvalue(shader, base)?;
            let Some(whole) = place.scalars else { return Some(place) };
            let each = scalars(types, facts.ty).len();
            let number = facts_index(shader, index);
            let picked = number.and_then(|number| whole.get(number * each..(number + 1) * each)).map(<[usize]>::to_vec);
            Some(WrittenScalars { scalars: picked, ..place })
        }
        _ => None,
    }
}

/// A constant index.
fn facts_index(shader: &Shader, index: ExprId) -> Option<usize> {
    let constant = shader.typed.expr(index).constant?;
    usize::try_from(shader.typed.constants.as_i64(constant)?).ok()
}

/// One more or less.
fn stepped(scalar: Scalar, bits: u64, step: i32) -> u64 {
    match scalar {
        Scalar::Float => u64::from((f32::from_bits(bits as u32) + step as f32).to_bits()),
        Scalar::Double => (f64::from_bits(bits) + f64::from(step)).to_bits(),
        Scalar::Int | Scalar::Uint | Scalar::Bool => u64::from((bits as u32).wrapping_add_signed(step)),
        Scalar::Int64 | Scalar::Uint64 => bits.wrapping_add_signed(i64::from(step)),
    }
}
