//! From the typed tree to the program.
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
mod matrix;
mod memory;
mod note;
mod operator;
mod ops;
mod place;
mod precision;
mod resource;
mod stmt;
mod subroutine;
mod units;

use std::collections::{BTreeMap, BTreeSet};

use shader::Shader;
use shader::ast::{ExprId, NodeId};
use shader::constant;
use shader::query_precision::Precisions;
use shader::token::TokenIndex;
use shader::typed::{self, VarId};
use shader::types::{Type, TypeTable};

use crate::ir::Operand as Value;
use crate::ir::{
    Block, BlockId, BlockSlots, Function, FunctionId, ImageOp, Instruction, Lookup, Pointer, Program, Register,
    Registers, Terminator, flow,
};
use crate::locate::words;
pub(crate) use expression::{Origins, Refusal, lower_expression, reaches_out};

pub use precision::LowerOptions;

/// Something the emulator does not run yet, by name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the emulator does not run {what} yet")]
pub struct Unsupported {
    /// The construct.
    pub what: String,
    /// Where it stands.
    pub node: Option<NodeId>,
}

/// More registers than this are refused: a shader with that many components in its variables is not being debugged.
const MAX_REGISTERS: u32 = 1 << 22;

type Lowered<T> = Result<T, Unsupported>;

/// Makes a shader without errors ready to run.
///
/// # Errors
/// It uses something the emulator does not run; the error names it.
pub fn lower(shader: &Shader) -> Lowered<Program> {
    lower_with(shader, LowerOptions::default())
}

/// [`lower`] for numbers that do not behave as IEEE 754 has them.
///
/// # Errors
/// It uses something the emulator does not run; the error names it.
pub fn lower_with(shader: &Shader, options: LowerOptions) -> Lowered<Program> {
    lower_stage(&[shader], options)
}

/// Makes the shaders of one stage, which link, ready to run. Numbers of variables, types and nodes in the program are
/// those of the shader they belong to ([`Program::units`], [`Function::unit`]).
///
/// # Errors
/// They use something the emulator does not run; the error names it.
pub fn lower_stage(shaders: &[&Shader], options: LowerOptions) -> Lowered<Program> {
    if shaders.is_empty() {
        return Err(Unsupported { what: "a stage without shaders".to_owned(), node: None });
    }
    if shaders.iter().any(|shader| shader.has_errors()) {
        return Err(Unsupported { what: "a shader with errors".to_owned(), node: None });
    }
    Lower::new(shaders, options).program()
}

/// Where `break` and `continue` lead.
#[derive(Clone, Copy)]
struct Exits {
    on_break: BlockId,
    on_continue: Option<BlockId>,
}

struct Lower<'a> {
    /// The shader being lowered: one of the stage's. What belongs to the others is put away meanwhile.
    shader: &'a Shader,
    /// Its number.
    unit: usize,
    units: Vec<units::Unit<'a>>,
    /// Where globals live that several shaders know.
    globals: BTreeMap<String, (Option<Registers>, Option<Pointer>)>,
    options: LowerOptions,
    /// Sums are contracted here.
    contracts: bool,
    /// Registers that hold products, with the factors.
    products: BTreeMap<Register, (Register, Register)>,
    /// Arithmetic is done in half precision here.
    halves: bool,
    /// Registers that hold results of such arithmetic.
    halved: BTreeSet<Register>,
    /// Precisions of expressions, if the program depends on them.
    precisions: Precisions,
    /// The shader's types, arrays of its interface sized.
    types: TypeTable,
    /// By variable: its type, with a size where the stage gives it one.
    variable_types: Vec<Type>,
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
    /// Ready for the first of one or more shaders.
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
        lower
    }
}

impl Lower<'_> {
    fn program(&mut self) -> Lowered<Program> {
        let main = (0..self.units.len()).find_map(|unit| {
            self.enter(unit);
            let mut rows = self.shader.typed.functions.iter();
            let main = rows.position(|f| self.name(f.name) == "main" && f.body.is_some())?;
            Some((unit, typed::FunctionId(main as u32)))
        });
        let Some((unit, main)) = main else {
            return Err(Unsupported { what: "a shader without `main`".to_owned(), node: None });
        };
        self.begin();
        for unit in 0..self.units.len() {
            self.enter(unit);
            self.global_initializers()?;
        }
        let globals = self.end("(globals)");
        self.enter(unit);
        let entry = self.function(main)?;
        Ok(self.finished(globals, entry))
    }

    fn finished(&mut self, globals: FunctionId, entry: FunctionId) -> Program {
        self.enter(0);
        let units = self.others();
        Program {
            units,
            functions: std::mem::take(&mut self.functions),
            entry,
            globals,
            registers: self.registers,
            variables: std::mem::take(&mut self.variables),
            pointers: std::mem::take(&mut self.pointers),
            blocks: std::mem::take(&mut self.blocks),
            shared_bytes: self.shared_bytes,
            patch_bytes: self.patch_bytes,
            types: std::mem::take(&mut self.types),
            variable_types: std::mem::take(&mut self.variable_types),
            lookups: std::mem::take(&mut self.lookups),
            image_ops: std::mem::take(&mut self.image_ops),
            subroutines: subroutine::subroutines(self.shader),
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

    /// The function of the program that a function of the shader is, lowered when first asked for.
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

    /// Ends the current block and goes on in another.
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
                node: None,
            })?;
        Ok(Registers { start, len })
    }

    /// A register more; that there are too many is found when the next one is asked for otherwise.
    fn temporary(&mut self) -> Register {
        let register = Register(self.registers);
        self.registers = self.registers.saturating_add(1);
        register
    }

    fn one(&mut self) -> Lowered<Register> {
        Ok(self.fresh(1)?.start)
    }

    /// How many registers a type takes.
    fn words(&self, ty: Type) -> Lowered<u32> {
        match words(&self.types, ty) {
            Some(words) => Ok(words),
            None => self.refuse(format!("variables of type `{}`", self.shader.type_name(ty)), None),
        }
    }

    /// How many scalars a type has.
    fn component_count(&self, ty: Type) -> Lowered<u32> {
        if ty.scalar().is_some() {
            return Ok(ty.components());
        }
        Ok(self.widths(ty)?.len() as u32)
    }

    /// Of every scalar of a type, in order, whether it has 64 bits.
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

    /// The register of every scalar of a value that lies in a run.
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

    /// Registers for a value of a type.
    fn fresh_value(&mut self, ty: Type) -> Lowered<Value> {
        let words = self.words(ty)?;
        let home = self.fresh(words)?;
        Ok(Value { ty, registers: self.components(home, ty)? })
    }

    /// Where a variable lives.
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

    /// A variable as a value, or a place to write one.
    fn variable_value(&mut self, id: VarId) -> Lowered<Value> {
        let home = self.variable(id)?;
        let ty = self.variable_types[id.0 as usize];
        Ok(Value { ty, registers: self.components(home, ty)? })
    }

    /// Copies scalar by scalar; the two are of one shape.
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
        Err(Unsupported { what: what.into(), node: node.map(NodeId::Expr) })
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
