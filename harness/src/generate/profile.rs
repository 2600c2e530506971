//! What generated programs are really like: a tally, for the statistics and for the tests of the generators.
//!
//! The traits are read off the program, not taken from what the generator meant to write. Looking at a program costs a
//! few times what generating it does, so a long run may look at a share of its programs only.

use serde::{Deserialize, Serialize};

use super::constants::is_boundary;
use crate::case::Program;
use crate::dialect::Dialect;
use crate::op::{End, Execution, Op};
use crate::tac::cfg::Terminator;
use crate::tac::{self, Atom, Cfg};
use crate::tiny::{self, Expr, walk};

mod graph;

macro_rules! traits {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal,)*) => {
        /// Something that a program has or doesn't have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Trait { $($(#[doc = $doc])* $variant,)* }

        impl Trait {
            /// Every trait.
            pub const ALL: &'static [Trait] = &[$(Trait::$variant,)*];

            /// Its name in statistics.
            pub const fn name(self) -> &'static str {
                match self { $(Trait::$variant => $name,)* }
            }
        }
    };
}

traits! {
    /// At least one input.
    Inputs "inputs",
    /// A cycle that the entry reaches.
    Loops "loops",
    /// Two or more of them.
    TwoLoops "two loops",
    /// A cycle with more than one entry.
    Irreducible "irreducible loops",
    /// A block that branches to itself.
    SelfLoop "self loops",
    /// A block that the entry does not reach.
    Unreachable "unreachable blocks",
    /// A cycle that the entry does not reach.
    UnreachableCycle "unreachable cycles",
    /// Two or more blocks that return.
    SeveralExits "several exits",
    /// Four or more blocks in a row, each with one successor.
    Chain "long chains",
    /// Several edges from one block to another.
    MultiEdge "multi-edges",
    /// An edge from a block with several successors to one with several predecessors.
    CriticalEdge "critical edges",
    /// A `switch`.
    Switch "switches",
    /// One with eight arms or more.
    ManyArms "switches of eight arms or more",
    /// `&&` or `||`; in Tiny only.
    ShortCircuit "short circuits",
    /// `*`.
    Multiplication "multiplications",
    /// `/` or `%`.
    Division "divisions",
    /// A division by a boundary constant.
    BoundaryDivisor "boundary divisors",
    /// A constant within 1 of ±2^k, k > 6, of MIN or of MAX.
    BoundaryConstant "boundary constants",
    /// An operation of the dialect plus.
    Plus "operations of plus",
    /// A narrow operation.
    Narrow "narrow operations",
    /// A comparison whose value is computed with, stored or returned.
    TruthValue "truth values",
    /// A variable copied to another.
    Copy "copies",
    /// A value computed that nobody uses.
    DeadValue "dead values",
    /// A variable that may be read before it is written.
    Uninitialised "uninitialised reads",
    /// More than 16 variables live at one place.
    ManyLive "more than 16 live",
}

/// A tally over programs and their runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Programs looked at.
    pub programs: u64,
    /// Their operations and jumps together.
    pub operations: u64,
    /// Runs noted.
    pub runs: u64,
    /// Of these, how many trapped.
    pub traps: u64,
    /// Of these, how many ran out of fuel.
    pub out_of_fuel: u64,
    /// How many programs have each trait, in the order of [`Trait::ALL`].
    traits: Vec<u64>,
    /// How many runs took less than 2^k steps, and not less than 2^(k - 1).
    steps: Vec<u64>,
}

impl Profile {
    /// Looks at a program.
    pub fn add_program(&mut self, program: &Program) {
        self.programs += 1;
        self.traits.resize(Trait::ALL.len(), 0);
        let found = match program {
            Program::Tiny(tiny) => {
                let lowered = tac::lower(tiny);
                self.operations += operations(&lowered);
                let mut found = of_cfg(&tac::cfg(&lowered));
                found.extend(of_tiny(tiny));
                found
            }
            Program::Tac(tac) => {
                self.operations += operations(tac);
                of_cfg(&tac::cfg(tac))
            }
            Program::Ssa(_) | Program::Phi(_) => Vec::new(),
        };
        for &each in Trait::ALL {
            self.traits[each as usize] += u64::from(found.contains(&each));
        }
    }

    /// Notes a run of the reference interpreter.
    pub fn add_run(&mut self, execution: &Execution) {
        self.runs += 1;
        match execution.outcome.end {
            End::Return(_) => {}
            End::Trap(_) => self.traps += 1,
            End::OutOfFuel => self.out_of_fuel += 1,
            // No program's own interpreter gives it.
            End::Undefined => {}
        }
        let bucket = (u64::BITS - execution.steps.leading_zeros()) as usize;
        if self.steps.len() <= bucket {
            self.steps.resize(bucket + 1, 0);
        }
        self.steps[bucket] += 1;
    }

    /// Adds another tally to this one.
    pub fn merge(&mut self, other: &Profile) {
        fn add(into: &mut Vec<u64>, from: &[u64]) {
            into.resize(into.len().max(from.len()), 0);
            for (sum, more) in into.iter_mut().zip(from) {
                *sum += more;
            }
        }
        self.programs += other.programs;
        self.operations += other.operations;
        self.runs += other.runs;
        self.traps += other.traps;
        self.out_of_fuel += other.out_of_fuel;
        add(&mut self.traits, &other.traits);
        add(&mut self.steps, &other.steps);
    }

    /// How many programs have a trait.
    pub fn count(&self, which: Trait) -> u64 {
        self.traits.get(which as usize).copied().unwrap_or(0)
    }

    /// Every trait with the number of programs that have it.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        Trait::ALL.iter().map(|&which| (which.name(), self.count(which)))
    }

    /// A power of two that at least half of the runs stay below, in steps.
    pub fn median_steps_below(&self) -> u64 {
        let mut seen = 0;
        for (k, count) in self.steps.iter().enumerate() {
            seen += count;
            if seen * 2 >= self.runs {
                return 1 << k;
            }
        }
        1
    }
}

fn operations(program: &tac::Program) -> u64 {
    program.lines.iter().filter(|line| !matches!(line, tac::Line::Label(_))).count() as u64
}

/// What only the syntax tree shows.
fn of_tiny(program: &tiny::Program) -> Vec<Trait> {
    let short_circuit = walk::expressions(program).iter().any(|expr| matches!(expr, Expr::Logic(..)));
    if short_circuit { vec![Trait::ShortCircuit] } else { Vec::new() }
}

/// What the control-flow graph shows.
fn of_cfg(cfg: &Cfg) -> Vec<Trait> {
    let mut found = graph::shape(cfg);
    found.extend(graph::liveness(cfg));
    if cfg.inputs > 0 {
        found.push(Trait::Inputs);
    }
    for block in &cfg.blocks {
        // A comparison that the block's own jump depends on is no value, unless something else uses it.
        let condition = match &block.term {
            Terminator::Cbr(Atom::Var(var), ..) => Some(*var),
            _ => None,
        };
        for assign in &block.body {
            let [_, right, _] = assign.args;
            let boundary = |atom: &Atom| matches!(atom, Atom::Const(value) if is_boundary(*value));
            if assign.operands().iter().any(boundary) {
                found.push(Trait::BoundaryConstant);
            }
            if assign.op.dialect() == Dialect::Plus {
                found.push(Trait::Plus);
            }
            match assign.op {
                Op::At(..) => found.push(Trait::Narrow),
                Op::Mul => found.push(Trait::Multiplication),
                Op::Div | Op::Rem => {
                    found.push(Trait::Division);
                    if boundary(&right) {
                        found.push(Trait::BoundaryDivisor);
                    }
                }
                Op::Copy if matches!(assign.args[0], Atom::Var(_)) => found.push(Trait::Copy),
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Not if condition != Some(assign.dest) => {
                    found.push(Trait::TruthValue);
                }
                _ => {}
            }
        }
    }
    found
}
