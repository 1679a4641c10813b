//! Lowering: from the typed tree of a shader to a program.
//!
//! Every variable gets a run of registers, one for each scalar it is made of, in the order of the language: vectors by
//! component, matrices by column, arrays by element, structures by member.

mod arithmetic;
mod builtin;
mod call;
mod expr;
mod expression;
mod half;
mod interface;
mod lvalue;
mod matrix;
mod memory;
mod note;
mod operator;
mod ops;
mod precision;
mod resource;
mod stmt;
mod subroutine;
mod units;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shader::Shader;
use shader::ast::ExprId;
use shader::constant;
use shader::query_precision::Precisions;
use shader::token::TokenIndex;
use shader::typed::{self, VarId};
use shader::types::{Scalar, Type, TypeTable};

pub(crate) use half::computes_in_half;

use super::types::{TypeIds, words};
use crate::ir::{
    self, Block, BlockId, BlockSlots, Function, FunctionId, ImageOp, Instruction, Lookup, Operand, Pointer, Program,
    Register, Registers, SiteId, Terminator, Types, flow,
};
pub(super) use expression::{Origins, Refusal, lower_expression, reaches_out};

pub use precision::LowerOptions;

/// A construct that the emulator does not run yet.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the emulator does not run {what} yet")]
pub struct Unsupported {
    /// The name of the construct.
    pub what: String,
    /// Where it is.
    pub site: Option<SiteId>,
}

/// Programs with more registers than this are refused; no real shader has so many components in its variables.
const MAX_REGISTERS: u32 = 1 << 22;

/// All of GLSL's component types.
const SCALARS: [Scalar; 7] =
    [Scalar::Bool, Scalar::Int, Scalar::Uint, Scalar::Float, Scalar::Double, Scalar::Int64, Scalar::Uint64];

type Lowered<T> = Result<T, Unsupported>;

/// The shaders of one stage as a program, and their types in it.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The program.
    pub program: Arc<Program>,
    /// Its shaders; they are the program's translation units.
    pub units: Vec<Unit>,
}

/// The types of a shader in a program, with sizes for the arrays that get theirs from the stage: inputs of a geometry
/// shader and the like.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The shader's types.
    pub types: TypeTable,
    /// The type of each of its variables.
    pub variable_types: Vec<Type>,
}

/// A value while it is lowered: its type and the register of each scalar; for a 64-bit scalar the first of its two.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Value {
    ty: Type,
    registers: Vec<Register>,
}

/// Lowers a shader without errors to a program.
///
/// # Errors
/// When it uses something the emulator does not run; the error names it.
pub fn lower(shader: &Shader) -> Lowered<Arc<Program>> {
    lower_with(shader, LowerOptions::default())
}

/// [`lower`] for numbers that do not behave as in IEEE 754.
///
/// # Errors
/// When it uses something the emulator does not run; the error names it.
pub fn lower_with(shader: &Shader, options: LowerOptions) -> Lowered<Arc<Program>> {
    lower_stage(&[shader], options).map(|stage| stage.program)
}

/// Lowers the shaders of one stage, which link, to one program. Each shader is a translation unit: sites and variables of
/// the program have the numbers they have in their shader.
///
/// # Errors
/// When they use something the emulator does not run; the error names it.
pub fn lower_stage(shaders: &[&Shader], options: LowerOptions) -> Lowered<Stage> {
    if shaders.is_empty() {
        return Err(Unsupported { what: "a stage without shaders".to_owned(), site: None });
    }
    if shaders.iter().any(|shader| shader.has_errors()) {
        return Err(Unsupported { what: "a shader with errors".to_owned(), site: None });
    }
    Lower::new(shaders, options).stage()
}

/// Where `break` and `continue` lead.
#[derive(Clone, Copy)]
struct Exits {
    on_break: BlockId,
    on_continue: Option<BlockId>,
}

struct Lower<'a> {
    /// The shader being lowered: one of the stage's. What belongs to the others is in `units` meanwhile.
    shader: &'a Shader,
    /// Its number.
    unit: usize,
    units: Vec<units::Unit<'a>>,
    /// Where globals live that several shaders declare.
    globals: BTreeMap<String, (Option<Registers>, Option<Pointer>)>,
    options: LowerOptions,
    /// Whether sums are contracted here.
    contracts: bool,
    /// Registers that hold products, with the factors.
    products: BTreeMap<Register, (Register, Register)>,
    /// Whether arithmetic is done in half precision here.
    halves: bool,
    /// Registers that hold results of such arithmetic.
    halved: BTreeSet<Register>,
    /// Precisions of expressions, if the program depends on them.
    precisions: Precisions,
    /// The shader's types, arrays of its interface sized.
    types: TypeTable,
    /// By variable: its type, with a size where the stage gives it one.
    variable_types: Vec<Type>,
    /// The shader's types in the program's table.
    type_ids: TypeIds,
    /// The program's types.
    ir_types: Types,
    functions: Vec<Function>,
    /// By function of the shader: its number in the program.
    by_source: Vec<Option<FunctionId>>,
    /// By function of the shader: whether it is lowered or being lowered.
    begun: Vec<bool>,
    /// By function of the shader: where its result goes.
    results: Vec<Option<Value>>,
    variables: Vec<Option<Registers>>,
    registers: u32,
    building: Vec<Block>,
    current: BlockId,
    function: Option<typed::FunctionId>,
    loops: Vec<Exits>,
    /// Variables by the token that names them in their declaration.
    declared: BTreeMap<TokenIndex, VarId>,
    /// The expression being lowered.
    origin: Option<ExprId>,
    pointers: Vec<Option<Pointer>>,
    blocks: Vec<BlockSlots>,
    shared_bytes: u32,
    patch_bytes: u32,
    lookups: Vec<Lookup>,
    image_ops: Vec<ImageOp>,
}

impl<'a> Lower<'a> {
    /// Returns a lowering that begins with the first of one or more shaders.
    fn new(shaders: &[&'a Shader], options: LowerOptions) -> Lower<'a> {
        let mut lower = Lower {
            shader: shaders[0],
            options,
            contracts: options.contract,
            products: BTreeMap::new(),
            halves: false,
            halved: BTreeSet::new(),
            unit: usize::MAX,
            units: units::units(shaders, options),
            globals: BTreeMap::new(),
            precisions: Precisions::default(),
            types: TypeTable::default(),
            variable_types: Vec::new(),
            type_ids: TypeIds::default(),
            ir_types: Types::default(),
            functions: Vec::new(),
            by_source: Vec::new(),
            begun: Vec::new(),
            results: Vec::new(),
            variables: Vec::new(),
            registers: 0,
            building: Vec::new(),
            current: BlockId(0),
            function: None,
            loops: Vec::new(),
            declared: BTreeMap::new(),
            origin: None,
            pointers: Vec::new(),
            blocks: Vec::new(),
            shared_bytes: 0,
            patch_bytes: 0,
            lookups: Vec::new(),
            image_ops: Vec::new(),
        };
        lower.take_up(0);
        // The sanitizer needs these types, whether or not a variable has them.
        for scalar in SCALARS {
            lower.type_id(Type::Scalar(scalar));
        }
        lower
    }
}

impl Lower<'_> {
    fn stage(&mut self) -> Lowered<Stage> {
        let main = (0..self.units.len()).find_map(|unit| {
            self.enter(unit);
            let mut rows = self.shader.typed.functions.iter();
            let main = rows.position(|f| self.name(f.name) == "main" && f.body.is_some())?;
            Some((unit, typed::FunctionId(main as u32)))
        });
        let Some((unit, main)) = main else {
            return Err(Unsupported { what: "a shader without `main`".to_owned(), site: None });
        };
        self.begin();
        for unit in 0..self.units.len() {
            self.enter(unit);
            self.global_initializers()?;
        }
        let globals = self.end("(globals)");
        self.enter(unit);
        let entry = self.function(main)?;
        let program = Arc::new(self.finished(globals, entry));
        let unit = |unit: units::Unit<'_>| Unit { types: unit.types, variable_types: unit.variable_types };
        Ok(Stage { program, units: std::mem::take(&mut self.units).into_iter().map(unit).collect() })
    }

    /// Returns the program; what belongs to the shaders is in `units` afterwards.
    fn finished(&mut self, globals: FunctionId, entry: FunctionId) -> Program {
        let (variables, units) = self.variable_table();
        self.put_away();
        Program {
            units,
            variables,
            functions: std::mem::take(&mut self.functions),
            entry,
            globals,
            registers: self.registers,
            private_bytes: 0,
            blocks: std::mem::take(&mut self.blocks),
            workgroup_bytes: self.shared_bytes,
            patch_bytes: self.patch_bytes,
            types: std::mem::take(&mut self.ir_types),
            lookups: std::mem::take(&mut self.lookups),
            image_ops: std::mem::take(&mut self.image_ops),
            presets: Vec::new(),
        }
    }

    fn global_initializers(&mut self) -> Lowered<()> {
        for index in 0..self.shader.typed.variables.len() {
            let id = VarId(index as u32);
            let row = self.shader.typed.variable(id);
            let global = matches!(row.kind, typed::VariableKind::Global);
            if let (true, Some(init)) = (global, row.init) {
                let ty = row.ty;
                let value = self.expr(init)?;
                let value = self.convert(value, ty)?;
                let home = self.variable_value(id)?;
                self.copy_value(&home, &value)?;
            } else if let (true, Some(constant)) = (matches!(row.kind, typed::VariableKind::Builtin), row.constant) {
                let home = self.variable_value(id)?;
                self.constant_into(&home, constant)?;
            }
        }
        Ok(())
    }

    /// Returns the function of the program that a function of the shader is. It is lowered when it is first needed.
    fn function(&mut self, id: typed::FunctionId) -> Lowered<FunctionId> {
        if let Some(known) = self.by_source[id.0 as usize] {
            return Ok(known);
        }
        let row = self.shader.typed.function(id);
        let name = self.shader.preprocessed.symbols.name(row.name).to_owned();
        if std::mem::replace(&mut self.begun[id.0 as usize], true) {
            return self.refuse(format!("function `{name}`, which calls itself,"), None);
        }
        let Some(body) = row.body else {
            return self.refuse(format!("function `{name}`, which has no body,"), None);
        };
        let outer = (
            std::mem::take(&mut self.building),
            self.current,
            self.function.replace(id),
            std::mem::take(&mut self.loops),
            self.contracts,
            self.origin.take(),
        );
        self.contracts = self.options.contract && self.may_contract(id);
        if row.result != Type::Void {
            self.results[id.0 as usize] = Some(self.fresh_value(row.result)?);
        }
        self.begin();
        let lowered = self.block_statements(body);
        let made = self.end(&name);
        (self.building, self.current, self.function, self.loops, self.contracts, self.origin) = outer;
        lowered?;
        self.by_source[id.0 as usize] = Some(made);
        Ok(made)
    }

    // ---- blocks ----

    fn begin(&mut self) {
        self.building = vec![empty_block()];
        self.current = BlockId(0);
    }

    /// Closes the function being built.
    fn end(&mut self, name: &str) -> FunctionId {
        let mut blocks = std::mem::take(&mut self.building);
        flow::find_meeting_points(&mut blocks);
        self.functions.push(Function { name: name.to_owned(), unit: self.unit, blocks });
        FunctionId(self.functions.len() as u32 - 1)
    }

    fn emit(&mut self, instruction: Instruction) {
        if self.halves {
            return self.emit_in_half(instruction);
        }
        self.emit_as_it_is(instruction);
    }

    fn emit_as_it_is(&mut self, instruction: Instruction) {
        let instruction = if self.contracts { self.contracted(instruction) } else { instruction };
        let block = &mut self.building[self.current.0 as usize];
        block.instructions.push(instruction);
        block.origins.push(self.origin.map(Into::into));
    }

    fn new_block(&mut self) -> BlockId {
        self.building.push(empty_block());
        BlockId(self.building.len() as u32 - 1)
    }

    /// Ends the current block and continues in another.
    fn finish(&mut self, terminator: Terminator, next: BlockId) {
        self.building[self.current.0 as usize].terminator = terminator;
        self.current = next;
    }

    // ---- registers ----

    fn fresh(&mut self, len: u32) -> Lowered<Registers> {
        let start = Register(self.registers);
        self.registers =
            self.registers.checked_add(len).filter(|&n| n <= MAX_REGISTERS).ok_or_else(|| Unsupported {
                what: format!("shaders with more than {MAX_REGISTERS} components in their variables"),
                site: None,
            })?;
        Ok(Registers { start, len })
    }

    /// Returns another register; that there are too many is found when the next one is allocated by [`Lower::fresh`].
    fn temporary(&mut self) -> Register {
        let register = Register(self.registers);
        self.registers = self.registers.saturating_add(1);
        register
    }

    fn one(&mut self) -> Lowered<Register> {
        Ok(self.fresh(1)?.start)
    }

    /// Returns how many registers a type takes.
    fn words(&self, ty: Type) -> Lowered<u32> {
        match words(&self.types, ty) {
            Some(words) => Ok(words),
            None => self.refuse(format!("variables of type `{}`", self.shader.type_name(ty)), None),
        }
    }

    /// Returns how many scalars a type has.
    fn component_count(&self, ty: Type) -> Lowered<u32> {
        if ty.scalar().is_some() {
            return Ok(ty.components());
        }
        Ok(self.widths(ty)?.len() as u32)
    }

    /// Returns for every scalar of a type, in order, whether it has 64 bits.
    fn widths(&self, ty: Type) -> Lowered<Vec<bool>> {
        let types = &self.types;
        if let Some(scalar) = ty.scalar() {
            return Ok(vec![scalar.is_64_bit(); ty.components() as usize]);
        }
        if let Some(array) = types.as_array(ty) {
            self.words(ty)?;
            let element = self.widths(array.element)?;
            let count = array.size.unwrap_or(0) as usize;
            return Ok(element.iter().copied().cycle().take(element.len() * count).collect());
        }
        let mut all = Vec::new();
        if let Some(structure) = types.as_struct(ty) {
            for field in &structure.fields {
                all.extend(self.widths(field.ty)?);
            }
        } else if ty != Type::Void {
            all.push(false);
        }
        Ok(all)
    }

    /// Returns the register of every scalar of a value that lies in a run.
    fn components(&self, home: Registers, ty: Type) -> Lowered<Vec<Register>> {
        let mut at = home.start.0;
        let widths = self.widths(ty)?;
        Ok(widths
            .into_iter()
            .map(|wide| {
                let register = Register(at);
                at += 1 + u32::from(wide);
                register
            })
            .collect())
    }

    /// Returns new registers for a value of a type.
    fn fresh_value(&mut self, ty: Type) -> Lowered<Value> {
        let words = self.words(ty)?;
        let home = self.fresh(words)?;
        Ok(Value { ty, registers: self.components(home, ty)? })
    }

    /// Returns where a variable lives.
    fn variable(&mut self, id: VarId) -> Lowered<Registers> {
        if let Some(home) = self.variables[id.0 as usize] {
            return Ok(home);
        }
        let words = self.words(self.variable_types[id.0 as usize])?;
        let name = self.global_name(id);
        let known = name.as_ref().and_then(|name| self.globals.get(name)?.0).filter(|home| home.len == words);
        let home = match known {
            Some(home) => home,
            None => self.fresh(words)?,
        };
        if let Some(name) = name {
            self.globals.entry(name).or_default().0 = Some(home);
        }
        self.variables[id.0 as usize] = Some(home);
        Ok(home)
    }

    /// Returns a variable as a value, or as an lvalue to write one to.
    fn variable_value(&mut self, id: VarId) -> Lowered<Value> {
        let home = self.variable(id)?;
        let ty = self.variable_types[id.0 as usize];
        Ok(Value { ty, registers: self.components(home, ty)? })
    }

    /// Copies scalar by scalar; both have the same shape.
    fn copy_value(&mut self, to: &Value, from: &Value) -> Lowered<()> {
        let widths = self.widths(to.ty)?;
        for ((&to, &from), wide) in to.registers.iter().zip(&from.registers).zip(widths) {
            for half in 0..=u32::from(wide) {
                self.emit(Instruction::Copy(Register(to.0 + half), Register(from.0 + half)));
            }
        }
        Ok(())
    }

    fn constant_into(&mut self, to: &Value, value: constant::Constant) -> Lowered<()> {
        let words: Vec<u64> = self.shader.typed.constants.components(value).to_vec();
        let widths = self.widths(to.ty)?;
        for ((&to, word), wide) in to.registers.iter().zip(words).zip(widths) {
            self.emit(Instruction::Constant(to, word as u32));
            if wide {
                self.emit(Instruction::Constant(Register(to.0 + 1), (word >> 32) as u32));
            }
        }
        Ok(())
    }

    fn refuse<T>(&self, what: impl Into<String>, node: Option<ExprId>) -> Lowered<T> {
        Err(Unsupported { what: what.into(), site: node.map(SiteId::from) })
    }

    /// Returns the row of a type in the program's table.
    fn type_id(&mut self, ty: Type) -> ir::TypeId {
        let symbols = &self.shader.preprocessed.symbols;
        self.type_ids.id(&mut self.ir_types, &self.types, symbols, ty)
    }

    /// Returns a value as an operand of the program.
    fn as_operand(&mut self, value: &Value) -> Operand {
        Operand { ty: self.type_id(value.ty), registers: value.registers.clone() }
    }

    fn name(&self, symbol: shader::symbol::Symbol) -> &str {
        self.shader.preprocessed.symbols.name(symbol)
    }
}

fn empty_block() -> Block {
    Block {
        instructions: Vec::new(),
        origins: Vec::new(),
        notes: Vec::new(),
        terminator: Terminator::Return,
        meets: None,
    }
}
