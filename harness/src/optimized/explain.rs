//! Why a run is undefined: it is run again, with somebody watching who follows poison back to where it was made.

use std::fmt;

use super::interpret::{End, Machine};
use super::memory::Memory;
use super::{Block, BlockData, Function, Inst, Interpreter, Lane, Origin, Type, Value, sign_extend};

/// Why a run is undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// What happened: `returns poison`, `branch on poison`, `division by zero`.
    pub what: &'static str,
    /// The instruction or terminator at which it did.
    pub at: String,
    /// The instruction that made the poison of it all, with its operands' values.
    pub poison: Option<String>,
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.at)?;
        match &self.poison {
            Some(made) => write!(f, "; the poison comes from {made}"),
            None => Ok(()),
        }
    }
}

impl Interpreter<'_> {
    /// Why a run is undefined; `None` if it is not.
    pub fn explain(&self, inputs: &[i64], fuel: u64) -> Option<Undefined> {
        let trace = Trace { makers: vec![None; self.function.values.len()], at: String::new() };
        let mut machine = Machine::new(self, inputs, fuel, trace);
        let End::Undefined(what, poison) = machine.run() else { return None };
        let poison = poison.and_then(|value| machine.watch.maker(self.function, value));
        Some(Undefined { what, poison, at: machine.watch.at })
    }
}

/// Sees a run as it happens.
pub(super) trait Watch {
    /// An instruction is about to run.
    fn before(&mut self, _: &Function, _: &Inst) {}
    /// A terminator is about to run.
    fn ends(&mut self, _: &Function, _: &BlockData) {}
    /// An instruction has defined its value; with the lanes of all values, and memory.
    fn defined(&mut self, _: &Interpreter<'_>, _: (&[Lane], &Memory), _: Value, _: &Inst) {}
    /// Control goes from a block to another.
    fn goes(&mut self, _: Block, _: Block) {}
    /// Phis are about to take these values.
    fn moves(&mut self, _: &Interpreter<'_>, _: &[(Value, Value)]) {}
}

/// Nobody.
pub(super) struct NoTrace;

impl Watch for NoTrace {}

/// Follows poison back to the instruction that made it.
struct Trace {
    /// By value: the instruction that made its poison.
    makers: Vec<Option<String>>,
    /// What runs at the moment.
    at: String,
}

impl Watch for Trace {
    fn before(&mut self, function: &Function, inst: &Inst) {
        self.at = function.instruction(inst).to_string();
    }

    fn ends(&mut self, function: &Function, block: &BlockData) {
        self.at = function.terminator(&block.term).to_string();
    }

    fn defined(&mut self, run: &Interpreter<'_>, (lanes, _): (&[Lane], &Memory), dest: Value, inst: &Inst) {
        let function = run.function;
        let lanes = |value: Value| run.lanes_of(lanes, value);
        if !lanes(dest).contains(&None) {
            return;
        }
        self.makers[dest.index()] = match inst.args.iter().find(|arg| lanes(**arg).contains(&None)) {
            Some(&arg) => self.maker(function, arg),
            None => {
                let computed = inst.args.iter().filter(|arg| function.values[arg.index()].origin == Origin::Computed);
                let shown = |&arg| format!("{} = {}", function.operand(arg), shown(lanes(arg), function.ty(arg)));
                let operands: Vec<String> = computed.map(shown).collect();
                let with = if operands.is_empty() { "" } else { " with " };
                Some(format!("{}{with}{}", function.instruction(inst), operands.join(", ")))
            }
        };
    }

    fn moves(&mut self, run: &Interpreter<'_>, moves: &[(Value, Value)]) {
        let makers: Vec<_> = moves.iter().map(|&(_, value)| self.maker(run.function, value)).collect();
        for (&(dest, _), maker) in moves.iter().zip(makers) {
            self.makers[dest.index()] = maker;
        }
    }
}

impl Trace {
    /// What made a value's poison: the value itself, if it is a constant.
    fn maker(&self, function: &Function, value: Value) -> Option<String> {
        match function.values[value.index()].origin {
            Origin::Computed => self.makers[value.index()].clone(),
            _ => Some(function.operand(value).to_string()),
        }
    }
}

/// Lanes as signed numbers.
fn shown(lanes: &[Lane], ty: Type) -> String {
    let one = |lane: &Lane| lane.map_or("poison".into(), |bits| sign_extend(bits, ty.bits()).to_string());
    lanes.iter().map(one).collect::<Vec<_>>().join(" ")
}
