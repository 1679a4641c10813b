//! From the typed tree to the program.
//!
//! Every variable gets a run of registers, one for each scalar it is made of, in the order of the language: vectors by
//! component, matrices by column, arrays by element, structures by member.

mod builtin;
mod call;
mod expr;
mod matrix;
mod operator;
mod ops;
mod place;
mod stmt;

use std::collections::BTreeMap;

use shader::Shader;
use shader::ast::{ExprId, NodeId};
use shader::constant;
use shader::token::TokenIndex;
use shader::typed::{self, VarId};
use shader::types::{Scalar, Type};

use crate::ir::{Block, BlockId, Function, FunctionId, Instruction, Program, Register, Registers, Terminator, flow};

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
    if shader.has_errors() {
        return Err(Unsupported { what: "a shader with errors".to_owned(), node: None });
    }
    let variables = shader.typed.variables.iter().enumerate();
    let declared = variables.filter_map(|(i, v)| Some((v.declared?, VarId(i as u32)))).collect();
    let mut lower = Lower {
        shader,
        functions: Vec::new(),
        by_source: vec![None; shader.typed.functions.len()],
        results: vec![None; shader.typed.functions.len()],
        variables: vec![None; shader.typed.variables.len()],
        registers: 0,
        building: Vec::new(),
        current: BlockId(0),
        function: None,
        loops: Vec::new(),
        declared,
    };
    lower.program()
}

/// A value: its type and the register of each scalar it is made of.
#[derive(Clone, Debug)]
struct Value {
    ty: Type,
    registers: Vec<Register>,
}

/// Where `break` and `continue` lead.
#[derive(Clone, Copy)]
struct Exits {
    on_break: BlockId,
    on_continue: Option<BlockId>,
}

struct Lower<'a> {
    shader: &'a Shader,
    functions: Vec<Function>,
    /// By function of the shader: its number in the program.
    by_source: Vec<Option<FunctionId>>,
    /// By function of the shader: where its result goes.
    results: Vec<Option<Registers>>,
    variables: Vec<Option<Registers>>,
    registers: u32,
    building: Vec<Block>,
    current: BlockId,
    function: Option<typed::FunctionId>,
    loops: Vec<Exits>,
    /// Variables by the token that names them in their declaration.
    declared: BTreeMap<TokenIndex, VarId>,
}

impl Lower<'_> {
    fn program(&mut self) -> Lowered<Program> {
        let typed = &self.shader.typed;
        let main = typed
            .functions
            .iter()
            .position(|f| self.shader.preprocessed.symbols.name(f.name) == "main" && f.body.is_some());
        let Some(main) = main else {
            return Err(Unsupported { what: "a shader without `main`".to_owned(), node: None });
        };
        let globals = self.global_initializers()?;
        let entry = self.function(typed::FunctionId(main as u32))?;
        Ok(Program {
            functions: std::mem::take(&mut self.functions),
            entry,
            globals,
            registers: self.registers,
            variables: std::mem::take(&mut self.variables),
        })
    }

    fn global_initializers(&mut self) -> Lowered<FunctionId> {
        self.begin();
        for index in 0..self.shader.typed.variables.len() {
            let id = VarId(index as u32);
            let row = self.shader.typed.variable(id);
            let global = matches!(row.kind, typed::VariableKind::Global);
            if let (true, Some(init)) = (global, row.init) {
                let ty = row.ty;
                let value = self.expr(init)?;
                let value = self.convert(value, ty)?;
                let home = self.variable(id)?;
                self.copy_all(home, &value.registers);
            } else if let (true, Some(constant)) = (matches!(row.kind, typed::VariableKind::Builtin), row.constant) {
                let home = self.variable(id)?;
                self.constant_into(home, constant);
            }
        }
        Ok(self.end("(globals)"))
    }

    /// The function of the program that a function of the shader is, lowered when first asked for.
    fn function(&mut self, id: typed::FunctionId) -> Lowered<FunctionId> {
        if let Some(known) = self.by_source[id.0 as usize] {
            return Ok(known);
        }
        let row = self.shader.typed.function(id);
        let name = self.shader.preprocessed.symbols.name(row.name).to_owned();
        let Some(body) = row.body else {
            return self.refuse(format!("function `{name}`, which has no body,"), None);
        };
        let outer = (
            std::mem::take(&mut self.building),
            self.current,
            self.function.replace(id),
            std::mem::take(&mut self.loops),
        );
        if row.result != Type::Void {
            let len = self.len(row.result)?;
            self.results[id.0 as usize] = Some(self.fresh(len)?);
        }
        self.begin();
        let lowered = self.block_statements(body);
        let made = self.end(&name);
        (self.building, self.current, self.function, self.loops) = outer;
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
        self.functions.push(Function { name: name.to_owned(), blocks });
        FunctionId(self.functions.len() as u32 - 1)
    }

    fn emit(&mut self, instruction: Instruction) {
        self.building[self.current.0 as usize].instructions.push(instruction);
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

    fn one(&mut self) -> Lowered<Register> {
        Ok(self.fresh(1)?.start)
    }

    fn len(&self, ty: Type) -> Lowered<u32> {
        let types = &self.shader.typed.types;
        match constant::flat_len(types, ty) {
            Some(len) => Ok(len),
            // A sampler or image is one register: the number of what is bound.
            None if matches!(ty, Type::Opaque(_)) => Ok(1),
            None => self.refuse(format!("variables of type `{}`", self.shader.type_name(ty)), None),
        }
    }

    /// Where a variable lives.
    fn variable(&mut self, id: VarId) -> Lowered<Registers> {
        if let Some(home) = self.variables[id.0 as usize] {
            return Ok(home);
        }
        let row = self.shader.typed.variable(id);
        if let Some(wide) = self.wide_part(row.ty) {
            return self.refuse(format!("`{wide}`"), None);
        }
        let len = self.len(row.ty)?;
        let home = self.fresh(len)?;
        self.variables[id.0 as usize] = Some(home);
        Ok(home)
    }

    /// The name of a 64-bit scalar inside a type.
    fn wide_part(&self, ty: Type) -> Option<&'static str> {
        let mut element = ty;
        while let Some(array) = self.shader.typed.types.as_array(element) {
            element = array.element;
        }
        if let Some(structure) = self.shader.typed.types.as_struct(element) {
            return structure.fields.iter().find_map(|f| self.wide_part(f.ty));
        }
        match element.scalar()? {
            Scalar::Double => Some("double"),
            Scalar::Int64 => Some("int64_t"),
            Scalar::Uint64 => Some("uint64_t"),
            Scalar::Bool | Scalar::Int | Scalar::Uint | Scalar::Float => None,
        }
    }

    fn copy_all(&mut self, to: Registers, from: &[Register]) {
        for (to, &from) in to.iter().zip(from) {
            self.emit(Instruction::Copy(to, from));
        }
    }

    fn constant_into(&mut self, to: Registers, value: constant::Constant) {
        let words: Vec<u64> = self.shader.typed.constants.components(value).to_vec();
        for (to, word) in to.iter().zip(words) {
            self.emit(Instruction::Constant(to, word as u32));
        }
    }

    fn refuse<T>(&self, what: impl Into<String>, node: Option<ExprId>) -> Lowered<T> {
        Err(Unsupported { what: what.into(), node: node.map(NodeId::Expr) })
    }

    fn name(&self, symbol: shader::symbol::Symbol) -> &str {
        self.shader.preprocessed.symbols.name(symbol)
    }
}

fn empty_block() -> Block {
    Block { instructions: Vec::new(), terminator: Terminator::Return, meets: None }
}
