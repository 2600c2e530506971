//! What LLVM's optimizer makes, raised into the form of [`crate::optimized`], so that it is run as it stands: with
//! every flag that a pass has left on it.
//!
//! Unreachable blocks are left out. Values and blocks keep the names and numbers that they have in LLVM's own listing.
//! The parts: `c` reads LLVM's objects, `instruction` and `call` say what each becomes, `constant` what constants
//! are, `range` reads an attribute, [`promises`] writes flags. Whatever has no line there is *unsupported*, and named.

mod c;
mod call;
mod constant;
mod instruction;
pub mod promises;
mod range;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use inkwell::module::Module;

use super::emit::FUNCTION;
use super::raise::{ByAddress, Reason};
use crate::case::Case;
use crate::op::{End, Outcome};
use crate::optimized::{Block, Function, Interpreter, Label, Origin, Type, Value, ValueData};
use crate::path::{Note, Observation, Stage, Unsupported};
use c::{BlockObject, Object};

/// What stands under an address.
pub type Table<V> = HashMap<usize, V, BuildHasherDefault<ByAddress>>;

/// Runs the module's function as it stands on the case's vectors, and notes why a run is undefined.
pub fn observe(module: &Module<'_>, stage: Stage, case: &Case, observation: &mut Observation) {
    match raise(module) {
        Err(reason) => observation.unsupported.push(Unsupported { stage, reason }),
        Ok(function) => {
            let (outcomes, undefined) = outcomes(&function, case);
            observation.notes.extend(undefined.map(|message| Note { stage, pass: None, message }));
            observation.interpreted.push((stage, outcomes.into_iter().map(Some).collect()));
        }
    }
}

/// What a function gives on each of the case's vectors, and why the first undefined run is so.
pub fn outcomes(function: &Function, case: &Case) -> (Vec<Outcome>, Option<String>) {
    let interpreter = Interpreter::new(function);
    let fuel = fuel(case);
    let outcomes: Vec<Outcome> = case.vectors.iter().map(|vector| interpreter.run(vector, fuel).outcome).collect();
    let undefined = case.vectors.iter().zip(&outcomes).find(|(_, outcome)| outcome.end == End::Undefined);
    let why = undefined.and_then(|(vector, _)| {
        let why = interpreter.explain(vector, fuel)?;
        Some(format!("inputs {vector:?}: {why}"))
    });
    (outcomes, why)
}

/// As the judge has it: a compiler adds a constant factor of instructions.
pub fn fuel(case: &Case) -> u64 {
    1000 + 32 * case.fuel
}

/// A raised function, and what LLVM's objects became.
pub struct Raised {
    /// The function.
    pub function: Function,
    /// By the address of LLVM's parameter or instruction.
    pub values: Table<Value>,
    /// The reachable blocks, by the address of LLVM's.
    pub blocks: Table<Block>,
}

/// Raises the module's function.
pub fn raise(module: &Module<'_>) -> Result<Function, Reason> {
    raise_with_places(module).map(|raised| raised.function)
}

/// Raises the module's function and tells what became what.
pub fn raise_with_places(module: &Module<'_>) -> Result<Raised, Reason> {
    let function = c::function(module, FUNCTION).ok_or("no function")?;
    let mut raiser = Raiser::new(module);
    raiser.number(function)?;
    for block in function.blocks() {
        if raiser.blocks.contains_key(&block.address()) {
            let data = raiser.block(block)?;
            raiser.function.blocks.push(data);
        }
    }
    raiser.function.range = raiser.range(function, false)?;
    Ok(Raised { function: raiser.function, values: raiser.values, blocks: raiser.blocks })
}

struct Raiser<'a, 'm> {
    module: &'a Module<'m>,
    function: Function,
    /// By the address of LLVM's object.
    values: Table<Value>,
    /// The reachable blocks, by the address of LLVM's.
    blocks: Table<Block>,
    /// Tables by the address of LLVM's global variables.
    tables: Table<u32>,
    /// What the reachable blocks are called.
    labels: Vec<Label>,
    /// Whether the block that is raised at the moment is the entry.
    in_entry: bool,
}

impl<'a, 'm> Raiser<'a, 'm> {
    fn new(module: &'a Module<'m>) -> Self {
        let function = Function { values: Vec::new(), tables: Vec::new(), blocks: Vec::new(), range: None };
        let (values, blocks, tables) = (Table::default(), Table::default(), Table::default());
        Raiser { module, function, values, blocks, tables, labels: Vec::new(), in_entry: true }
    }

    /// Gives names to everything before anything is translated: a phi may use what stands behind it. LLVM numbers what
    /// has no name in the order of its listing: parameters, and each block before its instructions.
    fn number(&mut self, function: Object<'_>) -> Result<(), Reason> {
        let mut unnamed = 0..;
        let mut label = |name: String| match name.is_empty() {
            true => Label::Number(unnamed.next().unwrap_or_default()),
            false => Label::Name(name),
        };
        for (index, param) in function.params().enumerate() {
            let label = label(param.name());
            if index == 0 {
                let value = self.value(ValueData { ty: Type::Pointer, origin: Origin::Inputs, label });
                self.values.insert(param.address(), value);
            }
        }
        let reachable = reachable(function);
        for block in function.blocks() {
            let is_reachable = reachable.contains_key(&block.address());
            let block_label = label(block.name());
            if is_reachable {
                self.blocks.insert(block.address(), Block(self.blocks.len() as u32));
                self.labels.push(block_label);
            }
            for inst in block.instructions() {
                let ty = inst.ty();
                if ty.is_void() {
                    continue;
                }
                let label = label(inst.name());
                if is_reachable {
                    let ty = ty.raised().ok_or_else(|| format!("a value of type {}", ty.text()))?;
                    let value = self.value(ValueData { ty, origin: Origin::Computed, label });
                    self.values.insert(inst.address(), value);
                }
            }
        }
        Ok(())
    }

    /// A new value.
    fn value(&mut self, data: ValueData) -> Value {
        self.function.values.push(data);
        Value(self.function.values.len() as u32 - 1)
    }

    /// An operand: what has been numbered, or a constant.
    fn operand(&mut self, object: Object<'_>) -> Result<Value, Reason> {
        match self.values.get(&object.address()) {
            Some(&value) => Ok(value),
            None => self.constant(object),
        }
    }

    fn target(&self, block: BlockObject<'_>) -> Result<Block, Reason> {
        self.blocks.get(&block.address()).copied().ok_or_else(|| "a branch to nowhere".into())
    }
}

/// The blocks that some path from the entry leads to.
fn reachable(function: Object<'_>) -> Table<()> {
    let mut seen = Table::default();
    let mut todo: Vec<_> = function.blocks().next().into_iter().collect();
    while let Some(block) = todo.pop() {
        if seen.insert(block.address(), ()).is_none() {
            todo.extend(block.terminator().into_iter().flat_map(|terminator| terminator.successors()));
        }
    }
    seen
}
